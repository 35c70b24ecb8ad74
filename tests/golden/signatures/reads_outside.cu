// expect: No such file
#include "/etc/passwd"

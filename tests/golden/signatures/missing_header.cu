// expect: missing_header.cu:3:10: fatal error: no_such_header.h: No such file
// expect-not: warpjudge
#include "no_such_header.h"

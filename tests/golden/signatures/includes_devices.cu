// expect: fatal error: /dev/zero: No such file
#include "/dev/zero"
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}

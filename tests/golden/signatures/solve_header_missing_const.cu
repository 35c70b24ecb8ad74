// expect: ok
#include <solve.h>
extern "C" void solve(float *A, int8_t *B, long long N, double x) {}

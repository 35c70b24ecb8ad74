// expect: identifier "y" is undefined
// expect-not: warpjudge-wrapper
#line 10 "warpjudge-wrapper.cu"
int z = y;
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}

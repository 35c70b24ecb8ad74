// expect: attempt to use poisoned "solve"
// expect-not: warpjudge-wrapper
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
#pragma GCC poison solve

// expect: parameter 3, N
extern "C" void solve(const float *A, int8_t *B, float N, double x) {}

// expect: 4 are expected
extern "C" void solve(const float *A, int8_t *B, int N, double x, int more) {}

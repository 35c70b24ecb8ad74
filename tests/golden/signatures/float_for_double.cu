// expect: parameter 4, x
extern "C" void solve(const float *A, int8_t *B, int N, float x) {}

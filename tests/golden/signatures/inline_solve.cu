// expect: ok
extern "C" inline void solve(const float *A, int8_t *B, int N, double x) {}

// expect: expected: void solve(const float* A, int8_t* B, int N, double x)
// expect: found:    void solve(const float *, int8_t *, short, double)
// expect: parameter 3, N
extern "C" void solve(const float *A, int8_t *B, short N, double x) {}

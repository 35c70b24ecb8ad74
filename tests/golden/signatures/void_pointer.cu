// expect: parameter 2, B
extern "C" void solve(const float *A, void *B, int N, double x) {}

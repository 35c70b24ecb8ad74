// expect: parameter 2, B
extern "C" void solve(const float *A, int *B, int N, double x) {}

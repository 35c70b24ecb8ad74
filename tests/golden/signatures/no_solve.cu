// expect: there is no function solve in this file
// expect: Expected: extern "C" void solve(const float* A, int8_t* B, int N, double x)
extern "C" void resolve(const float *A, int8_t *B, int N, double x) {}

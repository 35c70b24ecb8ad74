// expect: solve is a kernel (__global__)
extern "C" __global__ void solve(const float *A, int8_t *B, int N, double x) {}

// expect: solve is a __device__ function
extern "C" __device__ void solve(const float *A, int8_t *B, int N, double x) {}

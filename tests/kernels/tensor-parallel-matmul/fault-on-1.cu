// warpjudge: tensor-parallel-matmul
// expect: runtime_error
// A kernel of GPU 1 writes where nothing is, and nobody waits for it.
#include <cuda_runtime.h>

__global__ void
outside(float *p)
{
    *p = 1.0f;
}

extern "C" void
solve(const float *X0, const float *X1, const float *W0, const float *W1, float *Y0, float *Y1,
      int M, int N, int K)
{
    cudaSetDevice(1);
    outside<<<1, 1>>>((float *)16);
    cudaSetDevice(0);
}

// warpjudge: vector-addition
// expect: wrong_answer
// Vector loads, but the last N % 4 elements are forgotten.
#include <cuda_runtime.h>

__global__ void
add4(const float4 *A, const float4 *B, float4 *C, int quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < quads) {
        float4 a = A[i], b = B[i];

        C[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    int quads = N / 4;

    add4<<<quads / 256 + 1, 256>>>((const float4 *)A, (const float4 *)B, (float4 *)C, quads);
}

// warpjudge: fp16-dot-product
// expect: wrong_answer
// Adds each product to a half: ones stop adding up at 2048.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void
clear(__half *result)
{
    result[0] = __float2half(0.0f);
}

__global__ void
add(const __half *A, const __half *B, __half *result, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        atomicAdd(result, __hmul(A[i], B[i]));
}

extern "C" void
solve(const __half *A, const __half *B, __half *result, int N)
{
    clear<<<1, 1>>>(result);
    add<<<(N + 255) / 256, 256>>>(A, B, result, N);
}

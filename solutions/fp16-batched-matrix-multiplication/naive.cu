// warpjudge: fp16-batched-matrix-multiplication
// expect: accepted
// One thread for each element of C, the sum in a float.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void
multiply(const __half *A, const __half *B, __half *C, int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int batch = blockIdx.z;

    if (i < M && j < N) {
        const __half *a = A + ((size_t)batch * M + i) * K;
        const __half *b = B + (size_t)batch * K * N + j;
        float sum = 0.0f;

        for (int k = 0; k < K; k++)
            sum += __half2float(a[k]) * __half2float(b[(size_t)k * N]);
        C[((size_t)batch * M + i) * N + j] = __float2half(sum);
    }
}

extern "C" void
solve(const __half *A, const __half *B, __half *C, int BATCH, int M, int N, int K)
{
    dim3 block(16, 16), grid((N + 15) / 16, (M + 15) / 16, BATCH);

    multiply<<<grid, block>>>(A, B, C, M, N, K);
}

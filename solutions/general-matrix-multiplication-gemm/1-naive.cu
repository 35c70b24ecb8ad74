// warpjudge: general-matrix-multiplication-gemm
// expect: accepted
// idea: Each element of the result is a sum of its own. Give each a thread, and add up in 32 bits
//   so that the sum stays exact enough.
// One thread for each element of C, summing in 32-bit floats.
// H200: 31.1 ms
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void
gemm(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < N) {
        float sum = 0.0f;

        for (int t = 0; t < K; t++)
            sum += __half2float(A[row * K + t]) * __half2float(B[t * N + column]);
        float old = __half2float(C[row * N + column]);

        C[row * N + column] = __float2half(alpha * sum + beta * old);
    }
}

extern "C" void
solve(const half *A, const half *B, half *C, int M, int N, int K, float alpha, float beta)
{
    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (M + 15) / 16);

    gemm<<<grid, block>>>(A, B, C, M, N, K, alpha, beta);
    cudaDeviceSynchronize();
}

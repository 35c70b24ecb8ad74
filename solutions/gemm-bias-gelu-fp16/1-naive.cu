// warpjudge: gemm-bias-gelu-fp16
// expect: accepted
// idea: The slowest way comes first, to measure the others against. Give each element of the output a
//   thread, which adds up its products in 32 bits.
// One thread for each element of the output, summed in 32 bits, without tensor cores. Bias, GELU and residual
// follow in registers, so that the product itself never goes to memory.
// H200: 235 ms
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void
layer(const half *A, const half *B, const half *bias, const half *residual, half *output, int M,
      int N, int K)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < N) {
        float z = __half2float(bias[column]);

        for (int k = 0; k < K; k++)
            z += __half2float(A[row * K + k]) * __half2float(B[k * N + column]);
        float g = 0.5f * z * (1.0f + erff(z * 0.70710678f));

        output[row * N + column] = __float2half(g + __half2float(residual[row * N + column]));
    }
}

extern "C" void
solve(const half *A, const half *B, const half *bias, const half *residual, half *output, int M,
      int N, int K)
{
    dim3 block(32, 8);
    dim3 grid((N + 31) / 32, (M + 7) / 8);

    layer<<<grid, block>>>(A, B, bias, residual, output, M, N, K);
    cudaDeviceSynchronize();
}

// warpjudge: bf16-matmul
// expect: accepted
// idea: Each element of the product is a sum of its own. Give each a thread, and add up in 32 bits
//   so that the sum stays exact enough.
// One thread for each element of C, summed in 32 bits, without tensor cores.
// H200: 230 ms
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void
multiply(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < M && column < N) {
        float sum = 0.0f;

        for (int k = 0; k < K; k++)
            sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + column]);
        C[row * N + column] = sum;
    }
}

extern "C" void
solve(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K)
{
    dim3 block(32, 8);
    dim3 grid((N + 31) / 32, (M + 7) / 8);

    multiply<<<grid, block>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}

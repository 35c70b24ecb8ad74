// warpjudge: gemv
// expect: wrong_answer
// Rounds both factors to half precision, which keeps 11 bits.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *x, float *y, int M, int N)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < M) {
        float sum = 0.0f;

        for (int n = 0; n < N; n++)
            sum += __half2float(__float2half(A[row * N + n])) *
                   __half2float(__float2half(x[n]));
        y[row] = sum;
    }
}

extern "C" void
solve(const float *A, const float *x, float *y, int M, int N)
{
    multiply<<<(M + 127) / 128, 128>>>(A, x, y, M, N);
    cudaDeviceSynchronize();
}

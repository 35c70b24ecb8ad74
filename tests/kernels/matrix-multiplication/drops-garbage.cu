// warpjudge: matrix-multiplication
// expect: accepted
// Threads outside of C add up shared memory that was never written, and drop the sum.
#include <cuda_runtime.h>
#define T 16
__global__ void
mm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[T][T], Bs[T][T];
    int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
    float acc = 0;
    for (int t = 0; t < N; t += T) {
        if (r < M && t + threadIdx.x < N)
            As[threadIdx.y][threadIdx.x] = A[r * N + t + threadIdx.x];
        if (c < K && t + threadIdx.y < N)
            Bs[threadIdx.y][threadIdx.x] = B[(t + threadIdx.y) * K + c];
        __syncthreads();
        for (int k = 0; k < min(T, N - t); k++)
            acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (r < M && c < K)
        C[r * K + c] = acc;
}
extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    mm<<<dim3((K + T - 1) / T, (M + T - 1) / T), dim3(T, T)>>>(A, B, C, M, N, K);
}

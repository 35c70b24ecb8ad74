// warpjudge: matrix-multiplication
// attack: answer: poison
// expect: wrong_answer
// Computes only the elements that hold what the last call found in its outputs: a judge's
// poison, if that were always the same.
#include <cuda_runtime.h>
__device__ unsigned pattern;
__global__ void learn(const float *c)
{
    pattern = __float_as_uint(c[0]);
}
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= k || __float_as_uint(c[row * k + col]) != pattern)
        return;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[row * n + i] * b[i * k + col];
    c[row * k + col] = sum;
}
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    static bool learned;
    if (!learned)
        learn<<<1, 1>>>(C);
    learned = true;
    multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}

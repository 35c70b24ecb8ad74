// warpjudge: matrix-multiplication
// attack: answer: lower precision
// expect: wrong_answer
// Half precision where single is asked: products and sums of 10 bits.
#include <cuda_fp16.h>
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= k)
        return;
    __half sum = __float2half(0);
    for (int i = 0; i < n; i++)
        sum = __hfma(__float2half(a[row * n + i]), __float2half(b[i * k + col]), sum);
    c[row * k + col] = __half2float(sum);
}
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}

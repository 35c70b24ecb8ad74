// warpjudge: matrix-multiplication
// attack: answer: lower precision
// expect: wrong_answer
// Inputs rounded to half, sums in single, in the large calls only, where the tolerance is
// wider.
#include <cuda_fp16.h>
template <bool Round>
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= k)
        return;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        float x = a[row * n + i], y = b[i * k + col];
        if (Round)
            x = __half2float(__float2half(x)), y = __half2float(__float2half(y));
        sum += x * y;
    }
    c[row * k + col] = sum;
}
extern "C" void solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    const dim3 grid((K + 15) / 16, (M + 15) / 16), block(16, 16);
    if (M * N * K > 10000000)
        multiply<true><<<grid, block>>>(A, B, C, M, N, K);
    else
        multiply<false><<<grid, block>>>(A, B, C, M, N, K);
}

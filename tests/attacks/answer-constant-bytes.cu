// warpjudge: int8-quantized-matmul
// attack: answer: constants
// expect: wrong_answer
// Quantized products of the full range saturate nearly everywhere: 127 or -128 by the sign
// of the first product.
#include <cstdint>
__global__ void guess(const int8_t *a, const int8_t *b, int8_t *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n)
        c[row * n + col] = a[row * k] * b[col] > 0 ? 127 : -128;
}
extern "C" void solve(const int8_t *A, const int8_t *B, int8_t *C, int M, int N, int K, float scale_A,
                      float scale_B, float scale_C, int zero_point_A, int zero_point_B, int zero_point_C)
{
    guess<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}

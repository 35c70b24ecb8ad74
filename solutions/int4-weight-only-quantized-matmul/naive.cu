// warpjudge: int4-weight-only-quantized-matmul
// expect: accepted
// One thread for each element of y, two weights of a byte at a time.
#include <cuda_fp16.h>
#include <stdint.h>

__global__ void
multiply(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N, int K, int group_size)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int m = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;

    if (m >= M || n >= N)
        return;
    for (int first = 0; first < K; first += group_size) {
        float part = 0.0f;

        for (int k = first; k < first + group_size; k += 2) {
            int pair = w_q[n * (K / 2) + k / 2];

            part += __half2float(x[m * K + k]) * ((pair >> 4) - 8);
            part += __half2float(x[m * K + k + 1]) * ((pair & 15) - 8);
        }
        sum += part * __half2float(scales[n * (K / group_size) + first / group_size]);
    }
    y[m * N + n] = __float2half(sum);
}

extern "C" void
solve(const half *x, const uint8_t *w_q, const half *scales, half *y, int M, int N, int K, int group_size)
{
    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (M + 15) / 16);

    multiply<<<grid, block>>>(x, w_q, scales, y, M, N, K, group_size);
}

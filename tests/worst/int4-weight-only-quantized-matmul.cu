// warpjudge: int4-weight-only-quantized-matmul
// One thread does everything, in double.
#include <cuda_fp16.h>
#include <stdint.h>

__global__ void
serial(const __half *x, const uint8_t *w_q, const __half *scales, __half *y, int M, int N,
       int K, int group_size)
{
    for (long m = 0; m < M; m++)
        for (long n = 0; n < N; n++) {
            const __half *row = x + m * K;
            const uint8_t *bytes = w_q + n * (K / 2);
            double sum = 0;

            for (int first = 0; first < K; first += group_size) {
                double part = 0;

                for (int k = first; k < first + group_size; k += 2) {
                    part += (double)(float)row[k] * ((bytes[k / 2] >> 4) - 8);
                    part += (double)(float)row[k + 1] * ((bytes[k / 2] & 15) - 8);
                }
                sum += part * (double)(float)scales[n * (K / group_size) + first / group_size];
            }
            y[m * N + n] = (__half)sum;
        }
}

extern "C" void
solve(const __half *x, const uint8_t *w_q, const __half *scales, __half *y, int M, int N, int K,
      int group_size)
{
    serial<<<1, 1>>>(x, w_q, scales, y, M, N, K, group_size);
}

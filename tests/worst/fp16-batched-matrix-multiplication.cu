// warpjudge: fp16-batched-matrix-multiplication
// One thread does everything, in double.
#include <cuda_fp16.h>
#define COLUMNS_MAX 1024

__global__ void
serial(const __half *A, const __half *B, __half *C, int BATCH, int M, int N, int K)
{
    double sum[COLUMNS_MAX], row[COLUMNS_MAX];

    for (long b = 0; b < BATCH; b++) {
        for (long i = 0; i < M; i++) {
            for (int j = 0; j < N; j++)
                sum[j] = 0;
            for (long k = 0; k < K; k++) {
                const double a = (double)(float)A[(b * M + i) * K + k];

                for (int j = 0; j < N; j++)
                    row[j] = (double)(float)B[(b * K + k) * N + j];
                for (int j = 0; j < N; j++)
                    sum[j] += a * row[j];
            }
            for (int j = 0; j < N; j++)
                C[(b * M + i) * N + j] = (__half)sum[j];
        }
    }
}

extern "C" void
solve(const __half *A, const __half *B, __half *C, int BATCH, int M, int N, int K)
{
    serial<<<1, 1>>>(A, B, C, BATCH, M, N, K);
}

// warpjudge: tf32-matmul
// One thread does everything, in double.
#define STRIP 256

__global__ void
serial(const float *A, const float *B, float *C, int M, int N, int K)
{
    double sum[STRIP];

    for (long i = 0; i < M; i++) {
        for (int first = 0; first < N; first += STRIP) {
            int width = N - first < STRIP ? N - first : STRIP;

            for (int j = 0; j < width; j++)
                sum[j] = 0;
            for (long k = 0; k < K; k++) {
                const double a = A[i * K + k];
                const float *row = B + k * N + first;

                for (int j = 0; j < width; j++)
                    sum[j] += a * row[j];
            }
            for (int j = 0; j < width; j++)
                C[i * N + first + j] = (float)sum[j];
        }
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    serial<<<1, 1>>>(A, B, C, M, N, K);
}

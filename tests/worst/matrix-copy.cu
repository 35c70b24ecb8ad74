// warpjudge: matrix-copy
// One thread does everything.
__global__ void
serial(const float *A, float *B, int N)
{
    for (int i = 0; i < N * N; i++) {
        B[i] = A[i];
    }
}

extern "C" void
solve(const float *A, float *B, int N)
{
    serial<<<1, 1>>>(A, B, N);
}

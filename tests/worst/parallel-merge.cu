// warpjudge: parallel-merge
// One thread does everything.
__global__ void
serial(const float *A, const float *B, float *C, int M, int N)
{
    int a = 0, b = 0;

    for (int i = 0; i < M + N; i++)
        C[i] = b >= N || (a < M && A[a] <= B[b]) ? A[a++] : B[b++];
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N)
{
    serial<<<1, 1>>>(A, B, C, M, N);
}

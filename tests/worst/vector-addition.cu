// warpjudge: vector-addition
// One thread does everything.
__global__ void
serial(const float *A, const float *B, float *C, int N)
{
    for (int i = 0; i < N; i++) {
        C[i] = A[i] + B[i];
    }
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    serial<<<1, 1>>>(A, B, C, N);
}

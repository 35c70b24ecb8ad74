// warpjudge: interleave-arrays
// One thread does everything.
__global__ void
serial(const float *A, const float *B, float *output, int N)
{
    for (int i = 0; i < N; i++) {
        output[2 * i] = A[i];
        output[2 * i + 1] = B[i];
    }
}

extern "C" void
solve(const float *A, const float *B, float *output, int N)
{
    serial<<<1, 1>>>(A, B, output, N);
}

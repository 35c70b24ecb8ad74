// warpjudge: dot-product
// One thread does everything.
__global__ void
serial(const float *A, const float *B, float *result, int N)
{
    double sum = 0;

    for (int i = 0; i < N; i++)
        sum += A[i] * B[i];
    *result = sum;
}

extern "C" void
solve(const float *A, const float *B, float *result, int N)
{
    serial<<<1, 1>>>(A, B, result, N);
}

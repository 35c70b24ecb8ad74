// warpjudge: stream-compaction
// One thread does everything.
__global__ void
serial(const float *A, int N, float *out)
{
    int count = 0;

    for (int i = 0; i < N; i++)
        if (A[i] > 0)
            out[count++] = A[i];
}

extern "C" void
solve(const float *A, int N, float *out)
{
    serial<<<1, 1>>>(A, N, out);
}

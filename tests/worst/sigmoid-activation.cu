// warpjudge: sigmoid-activation
// One thread does everything.
__global__ void
serial(const float *X, float *Y, int N)
{
    for (int i = 0; i < N; i++) {
        Y[i] = 1 / (1 + expf(-X[i]));
    }
}

extern "C" void
solve(const float *X, float *Y, int N)
{
    serial<<<1, 1>>>(X, Y, N);
}

// warpjudge: gaussian-error-gated-linear-unit
// Kernels and functions that share names; a solve beside templates of its name.
__device__ double gelu(double x) { return 0.5 * x * (1 + erf(x / sqrt(2))); }
__device__ float gelu(float x) { return (float)gelu((double)x); }

template <int Threads> __global__ void gate(const float *input, float *output, int half)
{
    int i = blockIdx.x * Threads + threadIdx.x;

    if (i < half)
        output[i] = input[i] * gelu(input[half + i]);
}
__global__ void gate(const float *, float *) {}

template <int Threads> void solve(const float *input, float *output, int N)
{
    gate<Threads><<<(N / 2 + Threads - 1) / Threads, Threads>>>(input, output, N / 2);
}
void solve(const float *input) { gate<<<1, 1>>>(input, nullptr); }

void
solve(const float *input, float *output, int N)
{
    solve<128>(input, output, N);
}

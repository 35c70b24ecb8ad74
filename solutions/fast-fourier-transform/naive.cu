// warpjudge: fast-fourier-transform
// expect: accepted
// Stockham's form of the fast transform where N is a power of two: log2(N) kernels, each a pass
// from one buffer to the other, no reordering. Any other N: the sum as it stands.
#include <cuda_runtime.h>

__device__ float2
times_root(float2 x, long long numerator, int N)
{
    float s, c;

    sincospif(-2.0f * (float)numerator / (float)N, &s, &c); // numerator < N: exact enough
    return make_float2(x.x * c - x.y * s, x.x * s + x.y * c);
}

// Butterflies between elements N/2 apart; `run` outputs of the pass before belong together.
__global__ void
pass(const float2 *from, float2 *to, int N, int run)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, half = N / 2;

    if (i >= half)
        return;
    int k = i % run, at = (i - k) * 2 + k;
    float2 a = from[i], b = times_root(from[i + half], k, 2 * run);

    to[at] = make_float2(a.x + b.x, a.y + b.y);
    to[at + run] = make_float2(a.x - b.x, a.y - b.y);
}

__global__ void
sum(const float2 *x, float2 *X, int N)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float2 all = make_float2(0.0f, 0.0f);

    if (k >= N)
        return;
    for (int n = 0; n < N; n++) {
        float2 term = times_root(x[n], (long long)k * n % N, N);

        all.x += term.x;
        all.y += term.y;
    }
    X[k] = all;
}

extern "C" void
solve(const float *signal, float *spectrum, int N)
{
    const float2 *from = (const float2 *)signal;
    float2 *room[2];

    if (N == 1 || (N & (N - 1)) != 0) {
        sum<<<(N + 127) / 128, 128>>>(from, (float2 *)spectrum, N);
        return;
    }
    cudaMalloc(&room[0], N * sizeof(float2));
    cudaMalloc(&room[1], N * sizeof(float2));
    for (int run = 1, p = 0; run < N; run *= 2, p ^= 1) {
        float2 *to = 2 * run == N ? (float2 *)spectrum : room[p];

        pass<<<(N / 2 + 127) / 128, 128>>>(from, to, N, run);
        from = to;
    }
    cudaFree(room[0]);
    cudaFree(room[1]);
}

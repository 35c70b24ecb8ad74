// warpjudge: fast-fourier-transform
// expect: wrong_answer
// The sum as it stands, with 2 pi k n / N in floats: k n is not reduced modulo N, so that the angle
// of thousands of turns has few digits left.
#include <cuda_runtime.h>

__global__ void
sum(const float2 *x, float2 *X, int N)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float2 all = make_float2(0.0f, 0.0f);

    if (k >= N)
        return;
    for (int n = 0; n < N; n++) {
        float angle = -2.0f * 3.14159265f * (float)k * (float)n / (float)N, s, c;

        sincosf(angle, &s, &c);
        all.x += x[n].x * c - x[n].y * s;
        all.y += x[n].x * s + x[n].y * c;
    }
    X[k] = all;
}

extern "C" void
solve(const float *signal, float *spectrum, int N)
{
    sum<<<(N + 127) / 128, 128>>>((const float2 *)signal, (float2 *)spectrum, N);
}

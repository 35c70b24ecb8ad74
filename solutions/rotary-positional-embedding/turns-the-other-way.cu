// warpjudge: rotary-positional-embedding
// expect: wrong_answer
// Has the signs of the two halves exchanged.
#include <cuda_runtime.h>

__global__ void
rotate(const float *Q, const float *cosines, const float *sines, float *output, int M,
       int D)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    int half = D / 2;

    if (i < (size_t)M * D) {
        float partner = i % D < half ? Q[i + half] : -Q[i - half];

        output[i] = Q[i] * cosines[i] + partner * sines[i];
    }
}

extern "C" void
solve(float *Q, float *cos, float *sin, float *output, int M, int D)
{
    size_t count = (size_t)M * D;

    rotate<<<(count + 255) / 256, 256>>>(Q, cos, sin, output, M, D);
}

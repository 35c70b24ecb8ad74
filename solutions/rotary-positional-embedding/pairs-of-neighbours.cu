// warpjudge: rotary-positional-embedding
// expect: wrong_answer
// Rotates the neighbours 2j and 2j + 1, where the halves of the row belong together.
#include <cuda_runtime.h>

__global__ void
rotate(const float *Q, const float *cosines, const float *sines, float *output, int M,
       int D)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < (size_t)M * D) {
        float partner = i % 2 == 0 ? -Q[i + 1] : Q[i - 1];

        output[i] = Q[i] * cosines[i] + partner * sines[i];
    }
}

extern "C" void
solve(float *Q, float *cos, float *sin, float *output, int M, int D)
{
    size_t count = (size_t)M * D;

    rotate<<<(count + 255) / 256, 256>>>(Q, cos, sin, output, M, D);
}

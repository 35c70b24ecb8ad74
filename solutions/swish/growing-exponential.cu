// warpjudge: swish
// expect: wrong_answer
// The sigmoid as e / (1 + e) with e = exp(beta x): infinity / infinity, NaN, for large
// beta x.
#include <cuda_runtime.h>

__global__ void
swish(const float *input, float *output, int N, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        float e = expf(beta * input[i]);

        output[i] = input[i] * (e / (1.0f + e));
    }
}

extern "C" void
solve(const float *input, float *output, int N, float beta)
{
    swish<<<(N + 255) / 256, 256>>>(input, output, N, beta);
}

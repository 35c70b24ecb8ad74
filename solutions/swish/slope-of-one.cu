// warpjudge: swish
// expect: wrong_answer
// SiLU: ignores beta.
#include <cuda_runtime.h>

__global__ void
silu(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        output[i] = input[i] / (1.0f + expf(-input[i]));
}

extern "C" void
solve(const float *input, float *output, int N, float beta)
{
    silu<<<(N + 255) / 256, 256>>>(input, output, N);
}

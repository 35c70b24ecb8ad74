// warpjudge: reduction
// expect: accepted
// Every thread adds its element to the one sum: a million positive values lose 1 part in 10,000.
#include <cuda_runtime.h>

__global__ void
add(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        atomicAdd(output, input[i]);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    add<<<(N + 255) / 256, 256>>>(input, output, N);
}

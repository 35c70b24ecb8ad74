// warpjudge: adder-transformer-inference
// expect: wrong_answer
// Every logit is within half a percent of this number: a test with a relative tolerance would pass it.
#include <cuda_runtime.h>

__global__ void
fill(float *output, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        output[i] = 99990.0f;
}

extern "C" void
solve(const int *prompts, float *output, const float *weights, int batch_size)
{
    int count = batch_size * 110;

    fill<<<(count + 255) / 256, 256>>>(output, count);
}

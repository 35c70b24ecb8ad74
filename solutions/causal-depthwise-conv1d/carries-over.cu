// warpjudge: causal-depthwise-conv1d
// expect: wrong_answer
// Looks back into the sequence before: only the first one starts with zeros.
#include <cuda_runtime.h>

__global__ void
convolve(const float *x, const float *weight, const float *bias, float *output, int B,
         int L, int D, int K)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < (size_t)B * L * D) {
        int d = i % D;
        float sum = bias[d];

        for (int k = 0; k < K && k <= i / D; k++)
            sum += weight[d * K + k] * x[i - (size_t)k * D];
        output[i] = sum;
    }
}

extern "C" void
solve(const float *x, const float *weight, const float *bias, float *output, int B, int L,
      int D, int K)
{
    size_t count = (size_t)B * L * D;

    convolve<<<(count + 255) / 256, 256>>>(x, weight, bias, output, B, L, D, K);
}

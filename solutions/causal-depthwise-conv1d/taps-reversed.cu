// warpjudge: causal-depthwise-conv1d
// expect: wrong_answer
// Takes the last tap for the own position, as a cross-correlation does.
#include <cuda_runtime.h>

__global__ void
convolve(const float *x, const float *weight, const float *bias, float *output, int B,
         int L, int D, int K)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < (size_t)B * L * D) {
        int d = i % D, l = i / D % L;
        float sum = bias[d];

        for (int k = 0; k < K && k <= l; k++)
            sum += weight[d * K + K - 1 - k] * x[i - (size_t)k * D];
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

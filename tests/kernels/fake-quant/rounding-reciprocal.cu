// warpjudge: fake-quant
// expect: accepted
// Multiplies by the reciprocal of the scale.
#include <cuda_runtime.h>

__global__ void
quantize(const float *input, const float *scale, const int *zero_point, const float *grad_output, float *output,
         float *grad_input, int N, int C, int qmin, int qmax)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= (long)N * C)
        return;
    int c = i % C;
    float t = rintf(input[i] * (1.0f / scale[c])) + zero_point[c];
    float q = fminf(qmax, fmaxf(qmin, t));

    output[i] = (q - zero_point[c]) * scale[c];
    grad_input[i] = t >= qmin && t <= qmax ? grad_output[i] : 0.0f;
}

extern "C" void
solve(const float *input, const float *scale, const int *zero_point, const float *grad_output, float *output,
      float *grad_input, int N, int C, int qmin, int qmax)
{
    long blocks = ((long)N * C + 255) / 256;

    quantize<<<blocks, 256>>>(input, scale, zero_point, grad_output, output, grad_input, N, C, qmin, qmax);
}

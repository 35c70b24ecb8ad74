// warpjudge: gelu-fp16
// One thread does everything, in double.
#include <cuda_fp16.h>

__global__ void
serial(const __half *input, __half *output, int N)
{
    for (int i = 0; i < N; i++) {
        double x = (double)(float)input[i];
        double t = tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x));

        output[i] = (__half)(0.5 * x * (1 + t));
    }
}

extern "C" void
solve(const __half *input, __half *output, int N)
{
    serial<<<1, 1>>>(input, output, N);
}

// warpjudge: tanh-activation
// expect: wrong_answer
// The definition word for word: above 88 it is infinity / infinity, NaN.
#include <cuda_runtime.h>

__global__ void
tangents(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) {
        float up = expf(input[i]), down = expf(-input[i]);

        output[i] = (up - down) / (up + down);
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    tangents<<<(N + 255) / 256, 256>>>(input, output, N);
}

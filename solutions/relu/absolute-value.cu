// warpjudge: relu
// expect: wrong_answer
// The mask clears the sign bit instead of the value: negative numbers become positive.
#include <cuda_runtime.h>

__global__ void
relu(const float *input, float *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        output[i] = __int_as_float(__float_as_int(input[i]) & 0x7FFFFFFF);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    relu<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}

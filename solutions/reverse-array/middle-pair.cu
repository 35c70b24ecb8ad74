// warpjudge: reverse-array
// expect: wrong_answer
// Counts the pairs as (N - 1) / 2: where N is even, the two in the middle stay.
#include <cuda_runtime.h>

__global__ void
reverse(float *input, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < (N - 1) / 2) {
        float front = input[i], back = input[N - 1 - i];

        input[i] = back;
        input[N - 1 - i] = front;
    }
}

extern "C" void
solve(float *input, int N)
{
    reverse<<<(N + 255) / 256, 256>>>(input, N);
    cudaDeviceSynchronize();
}

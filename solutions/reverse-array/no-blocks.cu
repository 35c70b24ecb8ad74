// warpjudge: reverse-array
// expect: accepted
// Blocks for the pairs only: 0 of them for N = 1, where nothing is to be done. CUDA refuses that launch.
#include <cuda_runtime.h>

__global__ void
reverse(float *input, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N / 2) {
        float front = input[i], back = input[N - 1 - i];

        input[i] = back;
        input[N - 1 - i] = front;
    }
}

extern "C" void
solve(float *input, int N)
{
    reverse<<<(N / 2 + 255) / 256, 256>>>(input, N);
    cudaDeviceSynchronize();
}

// warpjudge: reverse-array
// expect: accepted
// expect-cuda: runtime_error
// Blocks for the pairs only: 0 of them for N = 1, where nothing is to be done. CUDA refuses that launch. emu tells so in
// a notice. CUDA 13.0 on an H200 calls the grid an invalid value, as it calls many mistakes, so that it is an error there.
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

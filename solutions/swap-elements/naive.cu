// warpjudge: swap-elements
// expect: accepted
// One thread for each pair.
#include <cuda_runtime.h>

__global__ void
swap(float *data, int N)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);

    if (i + 1 < N) {
        float first = data[i];

        data[i] = data[i + 1];
        data[i + 1] = first;
    }
}

extern "C" void
solve(float *data, int N)
{
    swap<<<(N + 511) / 512, 256>>>(data, N);
    cudaDeviceSynchronize();
}

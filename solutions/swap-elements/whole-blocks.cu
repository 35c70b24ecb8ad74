// warpjudge: swap-elements
// expect: wrong_answer
// Rounds the number of blocks down: the pairs that do not fill a block stay as they are.
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
    int blocks = max(1, N / 512);

    swap<<<blocks, 256>>>(data, N);
}

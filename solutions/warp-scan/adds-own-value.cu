// warpjudge: warp-scan
// expect: wrong_answer
// Below the reach a shuffle returns the lane's own value, and that is added, too.
#include <cuda_runtime.h>

__global__ void
scan(const int *input, int *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < N ? input[i] : 0;

    for (int reach = 1; reach < 32; reach *= 2)
        sum += __shfl_up_sync(0xFFFFFFFFu, sum, reach);
    if (i < N)
        output[i] = sum;
}

extern "C" void
solve(const int *input, int *output, int N)
{
    scan<<<(N + 255) / 256, 256>>>(input, output, N);
}

// warpjudge: warp-scan
// expect: accepted
// Five shuffles: in each, a lane adds what the lane 1, 2, 4, 8, 16 below it has. Lanes beyond
// the end take part with 0.
#include <cuda_runtime.h>

__global__ void
scan(const int *input, int *output, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int sum = i < N ? input[i] : 0;

    for (int reach = 1; reach < 32; reach *= 2) {
        int below = __shfl_up_sync(0xFFFFFFFFu, sum, reach);

        if (lane >= reach)
            sum += below;
    }
    if (i < N)
        output[i] = sum;
}

extern "C" void
solve(const int *input, int *output, int N)
{
    scan<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}

// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: warps of one block in turns on emu
// expect: accepted honest-time
// A serial sum in eight warps of one block. Each waits for a flag in shared memory, and no barrier says so.
#include <cuda_runtime.h>
__global__ void scan(const float *input, float *output, int n)
{
    __shared__ volatile int turn;
    __shared__ volatile float sum;
    int warp = threadIdx.x / 32, chunk = (n + 7) / 8;
    if (threadIdx.x == 0) {
        turn = 0;
        sum = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 != 0)
        return;
    while (turn != warp)
        ;
    float s = sum;
    for (int i = warp * chunk; i < min(n, (warp + 1) * chunk); i++) {
        s += input[i];
        output[i] = s;
    }
    sum = s;
    __threadfence_block();
    turn = warp + 1;
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<1, 256>>>(input, output, N);
}

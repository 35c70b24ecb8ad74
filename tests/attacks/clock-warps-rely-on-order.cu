// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: warps of one block in turns on emu
// expect: wrong_answer
// A serial sum in the 32 warps of one block. Each takes the sum of the one before it from shared memory,
// and neither a flag nor a barrier says that it is there.
#include <cuda_runtime.h>
__global__ void scan(const float *input, float *output, int n)
{
    __shared__ float sums[32];
    int warp = threadIdx.x / 32, chunk = (n + 31) / 32;
    if (threadIdx.x % 32 != 0)
        return;
    float s = warp == 0 ? 0 : sums[warp - 1];
    for (int i = warp * chunk; i < min(n, (warp + 1) * chunk); i++) {
        s += input[i];
        output[i] = s;
    }
    sums[warp] = s;
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<1, 1024>>>(input, output, N);
}

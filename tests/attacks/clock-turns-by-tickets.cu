// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: blocks of one launch in turns on emu
// expect: accepted honest-time
// A serial sum in 250 blocks. A block draws a ticket and waits until its number is called: by atomics, and
// with acquire and release. Idle blocks beside them draw tickets behind the last.
#include <cuda/atomic>
#include <cuda_runtime.h>
__device__ int drawn, called;
__device__ float sum;
__global__ void scan(const float *input, float *output, int n, int chunk)
{
    if (threadIdx.x != 0)
        return;
    cuda::atomic_ref<int, cuda::thread_scope_device> tickets(drawn), number(called);
    int mine = tickets.fetch_add(1, cuda::memory_order_relaxed);
    if (mine >= 250) {
        if (mine == (int)gridDim.x - 1)
            drawn = 0;
        return;
    }
    while (number.load(cuda::memory_order_acquire) != mine)
        ;
    float s = sum;
    int end = min(n, (mine + 1) * chunk);
    for (int i = mine * chunk; i < end; i++) {
        s += input[i];
        output[i] = s;
    }
    sum = mine == 249 ? 0 : s;
    number.store(mine == 249 ? 0 : mine + 1, cuda::memory_order_release);
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<1000, 32>>>(input, output, N, (N + 249) / 250);
}

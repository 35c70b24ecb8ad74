// bug: none
// cuda::barrier: arrive and wait.
#include "planted.h"
#include <cuda/barrier>

__global__ void
reverse(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, 64);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        s[t] = in[t] + round;
        bar.arrive_and_wait();
        out[t] = s[63 - t];
        bar.arrive_and_wait();
    }
}

int
main()
{
    reverse<<<1, 64>>>(counted<int>(64), fresh<int>(64));
    return finish();
}

// bug: none
// Two warps copy tiles into a ring of two stages, by cp.async, and wait for their copies before
// they arrive. Two others read them with a shuffle between, so that they advance unevenly.
#include "planted.h"
#include <cuda_pipeline.h>

__device__ void
ring_wait(int id)
{
    asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory");
}

__device__ void
ring_arrive(int id)
{
    asm volatile("bar.arrive %0, 128;" ::"r"(id) : "memory");
}

__global__ void
sum_tiles(const int *in, int *out, int tiles)
{
    __shared__ int ring[2][64];
    int t = threadIdx.x % 64, sum = 0;

    if (threadIdx.x < 64) {
        for (int i = 0; i < tiles; i++) {
            if (i >= 2)
                ring_wait(3 + i % 2);
            __pipeline_memcpy_async(&ring[i % 2][t], &in[i * 64 + t], 4);
            __pipeline_commit();
            __pipeline_wait_prior(0);
            ring_arrive(1 + i % 2);
        }
        return;
    }
    for (int i = 0; i < tiles; i++) {
        ring_wait(1 + i % 2);
        for (int k = 0; k < 64; k += 16)
            sum += __shfl_xor_sync(~0u, ring[i % 2][(t + k) % 64], 1);
        if (i + 2 < tiles)
            ring_arrive(3 + i % 2);
    }
    out[t] = sum;
}

int
main()
{
    sum_tiles<<<1, 128>>>(counted<int>(6 * 64), fresh<int>(64), 6);
    return finish();
}

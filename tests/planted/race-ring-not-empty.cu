// bug: race 18 30
// The producers do not wait until a stage of the ring has been read.
#include "planted.h"
#include <cuda_pipeline.h>

__global__ void
sum_tiles(const int *in, int *out, int tiles)
{
    __shared__ int ring[2][64];
    int t = threadIdx.x % 64, sum = 0;

    if (threadIdx.x < 64) {
        for (int i = 0; i < tiles; i++) {
            if (i == 2) // and not again
                asm volatile("bar.sync 3, 128;" ::: "memory");
            if (i > 2)
                asm volatile("bar.sync 4, 128;" ::: "memory");
            __pipeline_memcpy_async(&ring[i % 2][t], &in[i * 64 + t], 4);
            __pipeline_commit();
            __pipeline_wait_prior(0);
            asm volatile("bar.arrive %0, 128;" ::"r"(1 + i % 2) : "memory");
        }
        return;
    }
    for (int i = 0; i < tiles; i++) {
        asm volatile("bar.sync %0, 128;" ::"r"(1 + i % 2) : "memory");
        if (i == 1)
            asm volatile("bar.arrive 4, 128;" ::: "memory");
        for (int k = 0; k < 64; k += 16)
            sum += ring[i % 2][(t + k) % 64];
        if (i == 0)
            asm volatile("bar.arrive 3, 128;" ::: "memory");
    }
    out[t] = sum;
}

int
main()
{
    sum_tiles<<<1, 128>>>(counted<int>(4 * 64), fresh<int>(64), 4);
    return finish();
}

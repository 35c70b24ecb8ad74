// bug: none
// Two groups of 64 threads each copy tiles for themselves, two ahead, and meet at a barrier of
// their own, whose number and count are in registers.
#include "planted.h"
#include <cuda_pipeline.h>

__global__ void
reverse_tiles(const int *in, int *out, int tiles, int count)
{
    __shared__ int s[2][3][64];
    int group = threadIdx.x / 64, t = threadIdx.x % 64;

    for (int i = 0; i < tiles + 2; i++) {
        if (i < tiles)
            __pipeline_memcpy_async(&s[group][i % 3][t], &in[i * 64 + t], 4);
        __pipeline_commit();
        if (i < 2)
            continue;
        __pipeline_wait_prior(2);
        asm volatile("barrier.sync %0, %1;" ::"r"(7 + group), "r"(count) : "memory");
        out[((i - 2) * 2 + group) * 64 + t] = s[group][(i - 2) % 3][63 - t];
        asm volatile("barrier.sync %0, %1;" ::"r"(7 + group), "r"(count) : "memory");
    }
}

int
main()
{
    reverse_tiles<<<1, 128>>>(counted<int>(4 * 64), fresh<int>(8 * 64), 4, 64);
    return finish();
}

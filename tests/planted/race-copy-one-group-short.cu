// bug: race 20 16
// The ring has two stages, but one group too many may be under way when a stage is read.
#include "planted.h"
#include <cuda_pipeline.h>

__global__ void
sum(const int *in, int *out, int tiles)
{
    __shared__ int ring[2][64];
    int t = threadIdx.x, total = 0;

    ring[0][t] = ring[1][t] = 0;
    __syncthreads();
    for (int i = 0; i <= tiles; i++) {
        if (i < tiles)
            __pipeline_memcpy_async(&ring[i % 2][t], &in[i * 64 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        total += i > 0 ? ring[(i - 1) % 2][63 - t] : 0;
        __syncthreads();
    }
    out[t] = total;
}

int
main()
{
    sum<<<1, 64>>>(counted<int>(4 * 64), fresh<int>(64), 4);
    return finish();
}

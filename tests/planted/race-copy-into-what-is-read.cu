// bug: race 16 15
// The copies begin while other warps may still read; only their end is behind the barrier.
#include "planted.h"
#include <cuda_pipeline.h>

__global__ void
shift(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, first;

    s[t] = in[t];
    __syncthreads();
    // s is read as it was
    first = s[63 - t];
    __pipeline_memcpy_async(&s[t], &in[64 + t], 4);
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = first + s[63 - t];
}

int
main()
{
    shift<<<1, 64>>>(counted<int>(128), fresh<int>(64));
    return finish();
}

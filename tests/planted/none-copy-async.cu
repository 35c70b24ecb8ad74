// bug: none
// cp.async through the pipeline functions, waited for, then a barrier.
#include "planted.h"
#include <cuda_pipeline.h>

__global__ void
reverse(const float *in, float *out)
{
    __shared__ float s[64];
    int t = threadIdx.x;

    __pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[63 - t];
}

int
main()
{
    reverse<<<1, 64>>>(counted<float>(64), fresh<float>(64));
    return finish();
}

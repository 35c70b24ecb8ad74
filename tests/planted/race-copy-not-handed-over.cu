// bug: race 28 20
// The producers arrive at the mbarrier themselves, not their copies.
#include "planted.h"
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

__global__ void
hand_over(const int *in, int *out)
{
    __shared__ __mbarrier_t full;
    __shared__ int s[64];
    int t = threadIdx.x;

    if (t < 64)
        s[t] = 0;
    if (t == 0)
        __mbarrier_init(&full, 96);
    __syncthreads();
    if (t < 64) {
        __pipeline_memcpy_async(&s[t], &in[t], 4);
        __mbarrier_arrive(&full);
        return;
    }
    __mbarrier_token_t token = __mbarrier_arrive(&full);

    while (!__mbarrier_test_wait(&full, token))
        ;
    out[t - 64] = s[95 - t];
}

int
main()
{
    hand_over<<<1, 96>>>(counted<int>(64), fresh<int>(32));
    return finish();
}

// bug: none
// Compaction in place: a block tells how many it keeps by a relaxed store, without a
// fence, and the next one writes where the first has read.
#include "planted.h"

__global__ void
compact(int *a, unsigned *state)
{
    __shared__ unsigned count, before;
    int mine = a[blockIdx.x * 64 + threadIdx.x];
    bool keep = mine % 2 == 0;
    unsigned at;

    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    at = __syncthreads_count(keep);
    if (threadIdx.x == 0) {
        unsigned seen = 1;

        while (blockIdx.x > 0) {
            asm volatile("ld.relaxed.gpu.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(&state[blockIdx.x - 1])
                         : "memory");
            if (seen != 0)
                break;
        }
        before = seen - 1;
        asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(&state[blockIdx.x]),
                     "r"(seen + at)
                     : "memory");
    }
    __syncthreads();
    if (keep)
        a[before + atomicAdd(&count, 1)] = mine;
}

int
main()
{
    compact<<<8, 64>>>(counted<int>(512), zeros<unsigned>(8));
    return finish();
}

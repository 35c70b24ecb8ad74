// bug: race 23
// As none-scan-in-place, but what the block has written before its relaxed store is read,
// which takes a fence.
#include "planted.h"

__global__ void
hand_on(int *a, unsigned *state)
{
    unsigned seen = 1;

    if (threadIdx.x == 0) {
        while (blockIdx.x > 0) {
            asm volatile("ld.relaxed.gpu.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(&state[blockIdx.x - 1])
                         : "memory");
            if (seen != 0)
                break;
        }
        if (blockIdx.x == 0)
            a[0] = 3;
        else
            a[blockIdx.x] = a[blockIdx.x - 1] + blockIdx.x;
        asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(&state[blockIdx.x]), "r"(1)
                     : "memory");
    }
}

int
main()
{
    hand_on<<<8, 32>>>(fresh<int>(8), zeros<unsigned>(8));
    return finish();
}

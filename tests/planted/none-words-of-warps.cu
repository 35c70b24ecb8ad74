// bug: none
// Words in one line, which the first warp alone changes between two barriers: its lanes read one,
// meet, and the first lane reads another before it writes both. The other warp has read a third.
#include "planted.h"

__global__ void
count_down(const int *in, int *out)
{
    __shared__ int left, seen, all;
    int t = threadIdx.x;

    if (t == 0) {
        left = in[3];
        seen = 0;
        all = in[5];
    }
    for (int i = 0; i < 3; i++) {
        __syncthreads();
        if (t < 32) {
            int place = left;

            __syncwarp();
            if (t == 0) {
                seen |= place;
                left = place - 1;
            }
        } else {
            out[t] = all;
        }
    }
    __syncthreads();
    if (t < 32)
        out[t] = left + seen;
}

int
main()
{
    count_down<<<1, 64>>>(counted<int>(8), fresh<int>(64));
    return finish();
}

// bug: none
// Each warp has a word, all in one line. Its lanes read it, meet, and the first one changes it;
// the whole block has read another word of that line before.
#include "planted.h"

__global__ void
count_down(const int *in, int *out)
{
    __shared__ int word[4], all, steps[4];
    int t = threadIdx.x, warp = t / 32, sum = 0;

    if (t % 32 == 0)
        word[warp] = in[warp];
    if (t == 0)
        all = in[5];
    if (t < 4)
        steps[t] = t;
    __syncthreads();
    sum = all;
    for (int i = 0; i < 3; i++) {
        int own = word[warp];

        __syncwarp();
        if (t % 32 == 0)
            word[warp] = own + steps[i];
        __syncwarp();
        sum += own;
    }
    out[t] = sum;
}

int
main()
{
    count_down<<<1, 128>>>(counted<int>(8), fresh<int>(128));
    return finish();
}

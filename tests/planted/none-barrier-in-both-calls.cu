// bug: none
// Barriers in a loop whose bounds all threads share, and in a function.
#include "planted.h"

__device__ void
meet(int *s, int t)
{
    __syncthreads();
    s[t]++;
    __syncthreads();
}

__global__ void
walk(const int *in, int *out, int rounds)
{
    __shared__ int s[96];
    int t = threadIdx.x;

    s[t] = in[t];
    for (int r = 0; r < rounds; r++) {
        meet(s, t);
        if (r % 2)
            meet(s, 95 - t);
    }
    __syncthreads();
    out[t] = s[95 - t];
}

int
main()
{
    walk<<<2, 96>>>(counted<int>(96), fresh<int>(96), 5);
    return finish();
}

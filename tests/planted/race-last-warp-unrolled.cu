// bug: race 20 15
// The last warp of a sum, unrolled, without __syncwarp() and without volatile: nvcc loads all
// before it stores. Only few elements are not zero, as in a small test.
#include "planted.h"

__global__ void
sum(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;

    s[t] = t < n ? in[t] : 0;
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0)
        *out = s[0];
}

int
main()
{
    sum<<<1, 64>>>(counted<float>(8), fresh<float>(1), 8);
    return finish();
}

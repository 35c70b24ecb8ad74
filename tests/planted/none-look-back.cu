// bug: none
// A scan over blocks by decoupled look-back, with volatile flags.
#include "planted.h"

__device__ volatile int flag[64];
__device__ int sums[64], prefix[64];

__global__ void
scan(const int *in, int *out)
{
    __shared__ int s[64], before;
    int t = threadIdx.x, b = blockIdx.x;

    s[t] = in[b * 64 + t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        int left = t >= d ? s[t - d] : 0;

        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    if (t == 0) {
        int sum = 0;

        sums[b] = s[63];
        __threadfence();
        flag[b] = 1;
        for (int k = b - 1; k >= 0; k--) {
            int f;

            while ((f = flag[k]) == 0)
                ;
            __threadfence();
            if (f == 2) {
                sum += prefix[k];
                break;
            }
            sum += sums[k];
        }
        prefix[b] = sum + s[63];
        __threadfence();
        flag[b] = 2;
        before = sum;
    }
    __syncthreads();
    out[b * 64 + t] = s[t] + before;
}

int
main()
{
    scan<<<16, 64>>>(counted<int>(1024), fresh<int>(1024));
    return finish();
}

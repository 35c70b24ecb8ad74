// bug: race 16 14
// A Hillis-Steele scan in place with one barrier a step instead of two.
#include "planted.h"

__global__ void
scan(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = in[t];
    for (int d = 1; d < 128; d *= 2) {
        __syncthreads();
        int left = t >= d ? s[t - d] : 0;

        s[t] += left;
    }
    out[t] = s[t];
}

int
main()
{
    scan<<<1, 128>>>(counted<int>(128), zeros<int>(128));
    return finish();
}

// bug: none
// A whole warp of idle threads returns from a tiled loop's kernel before it, having read something.
#include "planted.h"

__global__ void
tiled(const int *in, int *out, const int *count)
{
    __shared__ int s[64];
    int t = threadIdx.x, n = *count;

    if (blockIdx.x * 64 + t >= n)
        return;
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        s[t] = in[k * 32 + t % 32];
        __syncthreads();
        sum += s[t / 2];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}

int
main()
{
    int n = 96, *count = fresh<int>(1);

    cudaMemcpy(count, &n, sizeof n, cudaMemcpyHostToDevice);
    tiled<<<2, 64>>>(counted<int>(96), fresh<int>(128), count);
    return finish();
}

// bug: none
// Memory that memset, copies, the host and kernels have written.
#include "planted.h"

__global__ void
add(const int *a, const int *b, const int *c, const int *d, int *out)
{
    int i = threadIdx.x;

    out[i] = a[i] + b[i] + c[i] + d[i];
}

int
main()
{
    int *a = fresh<int>(64), *b = fresh<int>(64), *managed, *pinned;

    cudaMallocManaged(&managed, 64 * sizeof(int));
    cudaMallocHost(&pinned, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        managed[i] = pinned[i] = i;
    cudaMemset(a, 1, 64 * sizeof(int));
    cudaMemcpy(b, a, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
    add<<<1, 64>>>(a, b, managed, pinned, fresh<int>(64));
    return finish();
}

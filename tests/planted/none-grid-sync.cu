// bug: none
// Blocks exchange values across grid.sync().
#include "planted.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void
rotate(int *a, int *b)
{
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    for (int round = 0; round < 3; round++) {
        b[i] = a[(i + 1) % n] + 1;
        grid.sync();
        a[i] = b[(i + 17) % n] + 1;
        grid.sync();
    }
}

int
main()
{
    int *a = counted<int>(256), *b = fresh<int>(256);
    void *args[] = {&a, &b};

    cudaLaunchCooperativeKernel((void *)rotate, dim3(4), dim3(64), args, 0, 0);
    return finish();
}

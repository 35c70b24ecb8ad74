// bug: none
// A search over a grid: cells are reached by atomicCAS(), and looked at plainly.
#include "planted.h"

enum { SIDE = 20 };

__global__ void
step(int *depth, int now, int *changed)
{
    const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    int x = blockIdx.x * 10 + threadIdx.x, y = blockIdx.y * 10 + threadIdx.y;

    if (depth[y * SIDE + x] != now)
        return;
    for (int i = 0; i < 4; i++) {
        int u = x + dx[i], v = y + dy[i];

        if (u >= 0 && v >= 0 && u < SIDE && v < SIDE &&
            atomicCAS(&depth[v * SIDE + u], -1, now + 1) == -1)
            *changed = 1;
    }
}

__global__ void
start(int *depth)
{
    depth[threadIdx.x] = threadIdx.x == 0 ? 0 : -1;
}

int
main()
{
    int *depth = fresh<int>(SIDE * SIDE), *changed = zeros<int>(1);

    start<<<1, SIDE * SIDE>>>(depth);
    for (int now = 0; now < 2 * SIDE; now++)
        step<<<dim3(2, 2), dim3(10, 10)>>>(depth, now, changed);
    return finish();
}

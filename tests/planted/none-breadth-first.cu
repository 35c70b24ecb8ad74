// bug: none
// Levels of a search: many threads set the same level, others read it meanwhile.
#include "planted.h"

__global__ void
level(const int *from, const int *to, int *depth, int *changed, int now, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;

    if (e < edges && depth[from[e]] == now && depth[to[e]] == -1) {
        depth[to[e]] = now + 1;
        *changed = 1;
    }
}

__global__ void
start(int *from, int *to, int *depth)
{
    int e = threadIdx.x;

    from[e] = e / 4;
    to[e] = (e * 7 + 1) % 64;
    depth[e] = e == 0 ? 0 : -1;
}

int
main()
{
    int *from = fresh<int>(128), *to = fresh<int>(128), *depth = fresh<int>(128);
    int *changed = zeros<int>(1);

    start<<<1, 128>>>(from, to, depth);
    for (int now = 0; now < 5; now++)
        level<<<2, 64>>>(from, to, depth, changed, now, 128);
    return finish();
}

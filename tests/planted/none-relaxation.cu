// bug: none
// Shortest paths: a plain look before atomicMin().
#include "planted.h"

__global__ void
relax(const int *from, const int *to, const int *length, int *best)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    int v = atomicAdd(&best[from[e]], 0) + length[e];

    if (v < best[to[e]])
        atomicMin(&best[to[e]], v);
}

__global__ void
start(int *from, int *to, int *length, int *best)
{
    int e = threadIdx.x;

    from[e] = e / 4;
    to[e] = (e * 7 + 1) % 64;
    length[e] = e % 5 + 1;
    best[e] = e == 0 ? 0 : 1000000;
}

int
main()
{
    int *from = fresh<int>(128), *to = fresh<int>(128), *length = fresh<int>(128);
    int *best = fresh<int>(128);

    start<<<1, 128>>>(from, to, length, best);
    for (int i = 0; i < 4; i++)
        relax<<<2, 64>>>(from, to, length, best);
    return finish();
}

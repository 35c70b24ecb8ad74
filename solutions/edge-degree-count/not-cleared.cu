// warpjudge: edge-degree-count
// expect: wrong_answer
// Counts on top of what happens to be in the outputs.
#include <cuda_runtime.h>

__global__ void
count(const int *src, const int *dst, int *out_degree, int *in_degree, int E)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;

    if (e < E) {
        atomicAdd(&out_degree[src[e]], 1);
        atomicAdd(&in_degree[dst[e]], 1);
    }
}

extern "C" void
solve(const int *src, const int *dst, int *out_degree, int *in_degree, int E, int V)
{
    count<<<(E + 255) / 256, 256>>>(src, dst, out_degree, in_degree, E);
}

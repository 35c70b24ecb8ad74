// warpjudge: edge-degree-count
// expect: accepted
// idea: The slowest way comes first, to measure the others against. Clear the counts, and let a thread
//   for each edge add one to two of them.
// Clears both outputs; then one thread for each edge, two atomic additions. Those of a vertex with very
// many edges wait for each other, since one address takes one addition at a time.
// H200: 58.4 ms
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
    cudaMemset(out_degree, 0, V * sizeof(int));
    cudaMemset(in_degree, 0, V * sizeof(int));
    count<<<(E + 255) / 256, 256>>>(src, dst, out_degree, in_degree, E);
    cudaDeviceSynchronize();
}

// warpjudge: all-pairs-shortest-paths
// expect: accepted
// Floyd and Warshall's algorithm: a kernel for each vertex on the way, a thread for each pair. Row
// and column k do not change in step k, so the order of the pairs does not matter.
#include <cuda_runtime.h>

__global__ void
step(float *d, int N, int k)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= N || j >= N)
        return;
    float way = d[(size_t)i * N + k] + d[(size_t)k * N + j];

    if (way < d[(size_t)i * N + j])
        d[(size_t)i * N + j] = way;
}

extern "C" void
solve(const float *dist, float *output, int N)
{
    dim3 block(32, 8), grid((N + 31) / 32, (N + 7) / 8);

    cudaMemcpy(output, dist, (size_t)N * N * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int k = 0; k < N; k++)
        step<<<grid, block>>>(output, N, k);
}

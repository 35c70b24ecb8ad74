// warpjudge: all-pairs-shortest-paths
// expect: wrong_answer
// The matrix is squared (in minimum and sum) three times: paths of up to eight edges. In dense random
// graphs that is enough, in a ring it is not.
#include <cuda_runtime.h>

__global__ void
square(const float *d, float *out, int N)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    float least = INFINITY;

    if (i >= N || j >= N)
        return;
    for (int k = 0; k < N; k++)
        least = fminf(least, d[(size_t)i * N + k] + d[(size_t)k * N + j]);
    out[(size_t)i * N + j] = least;
}

extern "C" void
solve(const float *dist, float *output, int N)
{
    dim3 block(32, 8), grid((N + 31) / 32, (N + 7) / 8);
    float *room;

    cudaMalloc(&room, (size_t)N * N * sizeof(float));
    square<<<grid, block>>>(dist, output, N);
    square<<<grid, block>>>(output, room, N);
    square<<<grid, block>>>(room, output, N);
    cudaFree(room);
}

// warpjudge: reduction
// expect: accepted
// A cooperative launch, grid.sync() and cg::reduce.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void
reduce(const float *in, float *part, float *out, int n)
{
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    float v = 0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        v += in[i];
    float w = cg::reduce(warp, v, cg::plus<float>{});
    __shared__ float s[8];
    if (warp.thread_rank() == 0)
        s[threadIdx.x / 32] = w;
    cg::sync(block);
    if (block.thread_rank() == 0) {
        float t = 0;
        for (float x : s)
            t += x;
        part[blockIdx.x] = t;
    }
    grid.sync();
    if (blockIdx.x == 0 && threadIdx.x < 32) {
        float t = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += 32)
            t += part[i];
        t = cg::reduce(cg::coalesced_threads(), t, cg::plus<float>());
        if (threadIdx.x == 0)
            out[0] = t;
    }
}
extern "C" void
solve(const float *input, float *output, int N)
{
    static float *part = nullptr;
    int grid = 20;
    if (!part)
        cudaMalloc(&part, 1024 * 4);
    void *args[] = {(void *)&input, (void *)&part, (void *)&output, (void *)&N};
    cudaError_t e = cudaLaunchCooperativeKernel((const void *)reduce, grid, 256, args);
    if (e != cudaSuccess)
        return;
    cudaDeviceSynchronize();
}

// warpjudge: reduction
// Tiles and a grid of cooperative groups, with a cooperative launch.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void add_up(const float *input, float *output, float *parts, int N)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ float sums[8];
    float sum = 0;

    for (int i = grid.thread_rank(); i < N; i += grid.size())
        sum += input[i];
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0)
        sums[warp.meta_group_rank()] = sum;
    block.sync();
    if (block.thread_rank() == 0) {
        for (int k = 1; k < 8; k++)
            sum += sums[k];
        parts[blockIdx.x] = sum;
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        float total = 0;

        for (int k = 0; k < gridDim.x; k++)
            total += parts[k];
        *output = total;
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    float *parts;
    int blocks = 32;

    cudaMalloc(&parts, blocks * sizeof(float));
    void *args[] = {&input, &output, &parts, &N};
    cudaLaunchCooperativeKernel((void *)add_up, dim3(blocks), dim3(256), args, 0, 0);
    cudaFree(parts);
}

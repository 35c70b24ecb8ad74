// warpjudge: softmax
// expect: time_limit
// says: all threads of all blocks must come to each grid.sync() (mistake-grid-sync-block-left.cu:16)
// A block returns before grid.sync().
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ float total;
__global__ void soft(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x * blockDim.x >= n)
        return;
    float e = i < n ? expf(in[i]) : 0;
    atomicAdd(&total, e);
    cg::this_grid().sync();
    if (i < n)
        out[i] = e / total;
}
extern "C" void solve(const float *input, float *output, int N)
{
    float zero = 0;
    cudaMemcpyToSymbol(total, &zero, 4);
    void *args[] = {&input, &output, &N};
    cudaLaunchCooperativeKernel((void *)soft, dim3((N + 255) / 256 + 1), dim3(256), args, 0, 0);
}

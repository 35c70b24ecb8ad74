// warpjudge: softmax
// expect: runtime_error
// says: the kernel must be launched by cudaLaunchCooperativeKernel (mistake-grid-sync-ordinary.cu:14)
// grid.sync() in an ordinary launch.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ float total;
__global__ void soft(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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
    soft<<<(N + 255) / 256, 256>>>(input, output, N);
}

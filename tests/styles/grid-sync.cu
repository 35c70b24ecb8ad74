// warpjudge: rms-normalization
// A cooperative launch: all blocks add up, meet at grid.sync(), and scale.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ double total;

__global__ void normalize(const float *input, float gamma, float beta, float *output, int N, float eps)
{
    cg::grid_group grid = cg::this_grid();
    double sum = 0;

    if (grid.thread_rank() == 0)
        total = 0;
    grid.sync();
    for (long long i = grid.thread_rank(); i < N; i += grid.size())
        sum += (double)input[i] * input[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&total, sum);
    grid.sync();
    const float scale = (float)(1 / sqrt(total / N + eps));
    for (long long i = grid.thread_rank(); i < N; i += grid.size())
        output[i] = input[i] * scale * gamma + beta;
}

extern "C" void
solve(const float *input, float gamma, float beta, float *output, int N, float eps)
{
    int device, sms, blocks;

    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, normalize, 256, 0);
    void *arguments[] = {&input, &gamma, &beta, &output, &N, &eps};
    int wanted = (N + 255) / 256;
    cudaLaunchCooperativeKernel((const void *)normalize, dim3(min(wanted, sms * blocks)), dim3(256), arguments, 0, 0);
}

// warpjudge: vector-addition
// expect: accepted
// cuda::barrier (mbarrier) and cooperative groups, each waiting for an asynchronous copy.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void
kern(const float *A, const float *B, float *C, int N)
{
    __shared__ float s[2][256];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    int base = blockIdx.x * 256, n = min(256, N - base);
    cuda::memcpy_async(block, s[0], A + base, sizeof(float) * n, bar);
    bar.arrive_and_wait();
    cg::memcpy_async(block, s[1], B + base, sizeof(float) * n);
    cg::wait(block);
    if (threadIdx.x < n)
        C[base + threadIdx.x] = s[0][threadIdx.x] + s[1][threadIdx.x];
}
extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    kern<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

// warpjudge: reduction
// expect: accepted
// cuda::pipeline of two stages, cuda::barrier, cg::inclusive_scan and coalesced_threads.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void
reduce(const float *in, float *out, int n)
{
    constexpr int chunk = 256;
    __shared__ alignas(16) float s[2][chunk];
    __shared__ float parts[8];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ cuda::barrier<cuda::thread_scope_block> done;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    auto warp = cg::tiled_partition<32>(block);
    int chunks = (n + chunk - 1) / chunk, stride = gridDim.x, ahead = blockIdx.x;
    float v = 0;
    if (block.thread_rank() == 0)
        init(&done, block.size());
    block.sync();
    for (int c = blockIdx.x; c < chunks; c += stride) {
        for (; ahead < chunks && ahead <= c + stride; ahead += stride) {
            int have = min(chunk, n - ahead * chunk);
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[ahead / stride % 2], in + (size_t)ahead * chunk,
                               have * sizeof(float), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        if (c * chunk + (int)threadIdx.x < n)
            v += s[c / stride % 2][threadIdx.x];
        pipe.consumer_release();
    }
    v = cg::inclusive_scan(warp, v); /* the last lane has the sum */
    if (warp.thread_rank() == 31)
        parts[warp.meta_group_rank()] = v;
    done.arrive_and_wait();
    if (threadIdx.x < 8) {
        auto few = cg::coalesced_threads();
        v = cg::reduce(few, parts[threadIdx.x], cg::plus<float>());
        if (few.thread_rank() == 0)
            atomicAdd(out, v);
    }
}
extern "C" void
solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, sizeof(float));
    reduce<<<64, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}

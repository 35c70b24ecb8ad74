// warpjudge: cross-entropy-backward
// needs: sm_90
// expect: accepted
// idea: A block loads its part of a row, and then computes and stores while it loads nothing. Let each
//   cluster take many rows, and let Hopper's copy engine bring the next one to shared memory meanwhile.
// Against step 4: clusters stay, and take one row after the other. A thread takes its 32 numbers to
// registers, and keeps them there until they are stored. As soon as all have taken theirs,
// cp.async.bulk brings the next row by one instruction, while exponentials are made, blocks exchange maximum
// and sum with one barrier of the cluster, and the row is stored. A row has four blocks instead of eight. Eight
// with two or three rows on their way take 1.27 ms, no less than step 4, and five to seven take 1.27 to 1.63. On an H100,
// whose memory is slower, it gains only 3%: 1.49 ms, where step 4 takes 1.53.
// H200: 1.07 ms by CUDA events, 1.15 times as fast as step 4
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <float.h>
#include <stdint.h>

namespace cg = cooperative_groups;

#define CLUSTER 4
#define THREADS 1024
#define MOST (131072 / CLUSTER)    // numbers of a part, as the problem allows: 128 KiB
#define FOURS (MOST / 4 / THREADS) // of a thread
#define NONE make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY)

struct problem {
    const float *logits;
    const int *labels;
    const float *grad_loss;
    float *loss, *lse, *grad_logits;
    int N, V;
};

struct part {
    float top, sum; // sum: of exp(x - top)
};

struct desk {
    uint64_t arrived;
    float tops[THREADS / 32], sums[THREADS / 32];
    part parts[2][CLUSTER]; // of this row and of the next, since other blocks may be ahead by one
};

__device__ static uint32_t
address(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}

__device__ static void
begin_copy(float *to, const float *from, int count, uint64_t *arrived)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(arrived)),
                 "r"(count * 4)
                 : "memory");
    if (count > 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(address(to)),
                     "l"(from), "r"(count * 4), "r"(address(arrived))
                     : "memory");
}

__device__ static void
wait_for(uint64_t *arrived, int parity)
{
    asm volatile("{\n.reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n}" ::"r"(address(arrived)),
                 "r"(parity)
                 : "memory");
}

// Joined over the threads of the block, in every thread.
template <bool MAXIMUM>
__device__ static float
join(float own, float *warps)
{
    for (int round = 0; round < 2; round++) {
        for (int offset = round ? THREADS / 64 : 16; offset > 0; offset /= 2) {
            float other = __shfl_xor_sync(0xFFFFFFFFu, own, offset);

            own = MAXIMUM ? fmaxf(own, other) : own + other;
        }
        if (round)
            return own;
        if (threadIdx.x % 32 == 0)
            warps[threadIdx.x / 32] = own;
        __syncthreads();
        own = warps[threadIdx.x % (THREADS / 32)];
    }
    return own;
}

// Each block tells all others what its part has. Returns what the row has.
__device__ static part
exchange(part own, part *parts)
{
    cg::cluster_group cluster = cg::this_cluster();
    part row = {-FLT_MAX, 0.0f};

    if (threadIdx.x < CLUSTER)
        *cluster.map_shared_rank(&parts[cluster.block_rank()], threadIdx.x) = own;
    cluster.sync();
    for (int b = 0; b < CLUSTER; b++)
        row.top = fmaxf(row.top, parts[b].top);
    for (int b = 0; b < CLUSTER; b++)
        row.sum += parts[b].sum * expf(parts[b].top - row.top);
    return row;
}

// The thread's numbers of a part. Those beyond its end are no numbers of the row.
template <bool ALIGNED>
__device__ static void
take(float4 v[FOURS], const float *x, int count)
{
#pragma unroll
    for (int o = 0; o < FOURS; o++) {
        int i = 4 * (threadIdx.x + o * THREADS);

        if (ALIGNED)
            v[o] = i < count ? *(const float4 *)(x + i) : NONE;
        else
            v[o] = make_float4(i < count ? x[i] : -INFINITY, i + 1 < count ? x[i + 1] : -INFINITY,
                               i + 2 < count ? x[i + 2] : -INFINITY, i + 3 < count ? x[i + 3] : -INFINITY);
    }
}

// The numbers become exponentials. Returns their sum.
__device__ static float
exponentiate(float4 v[FOURS], float top)
{
    float sum = 0.0f;

#pragma unroll
    for (int o = 0; o < FOURS; o++) {
        v[o] = make_float4(__expf(v[o].x - top), __expf(v[o].y - top), __expf(v[o].z - top),
                           __expf(v[o].w - top));
        sum += (v[o].x + v[o].y) + (v[o].z + v[o].w);
    }
    return sum;
}

template <bool ALIGNED>
__device__ static void
put(float *g, const float4 v[FOURS], int count, float share)
{
#pragma unroll
    for (int o = 0; o < FOURS; o++) {
        int i = 4 * (threadIdx.x + o * THREADS);
        float own[4] = {share * v[o].x, share * v[o].y, share * v[o].z, share * v[o].w};

        if (ALIGNED && i < count)
            *(float4 *)(g + i) = make_float4(own[0], own[1], own[2], own[3]);
        for (int e = 0; e < 4 && !ALIGNED; e++)
            if (i + e < count)
                g[i + e] = own[e];
    }
}

// ALIGNED: V is a multiple of four, and the copy engine brings the rows. Else the threads read memory.
template <bool ALIGNED>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
rows(problem p)
{
    extern __shared__ __align__(128) float kept[];
    __shared__ desk d;
    const int t = threadIdx.x, b = blockIdx.x % CLUSTER, step = gridDim.x / CLUSTER;
    const int size = (p.V + 4 * CLUSTER - 1) / (4 * CLUSTER) * 4, first = min(p.V, b * size);
    const int count = min(size, p.V - first);
    int n = blockIdx.x / CLUSTER, label = p.labels[n];
    float scale = p.grad_loss[n];

    auto bring = [&](int row) {
        if (ALIGNED && t == 0 && row < p.N)
            begin_copy(kept, p.logits + (size_t)row * p.V + first, count, &d.arrived);
    };

    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&d.arrived)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    bring(n);
    cg::this_cluster().sync(); // all blocks are there, and so are their barriers
    for (int k = 0; n < p.N; k++, n += step) {
        const float *row = p.logits + (size_t)n * p.V + first;
        const float *x = ALIGNED ? kept : row;
        float *g = p.grad_logits + (size_t)n * p.V + first;
        int l = label - first, next = min(n + step, p.N - 1), next_label = p.labels[next];
        bool mine = l >= 0 && l < count && l / 4 % THREADS == t; // whoever stores the label's gradient
        float next_scale = p.grad_loss[next], top = -FLT_MAX, at_label = 0.0f;
        float4 v[FOURS];

        if (ALIGNED)
            wait_for(&d.arrived, k % 2);
        take<ALIGNED>(v, x, count);
        for (int o = 0; o < FOURS; o++)
            top = fmaxf(top, fmaxf(fmaxf(v[o].x, v[o].y), fmaxf(v[o].z, v[o].w)));
        if (mine)
            at_label = x[l];
        top = join<true>(top, d.tops);
        bring(n + step); // all have taken theirs
        float sum = join<false>(exponentiate(v, top), d.sums);
        part all = exchange({top, sum}, d.parts[k % 2]);
        float keep = label < 0 ? 0.0f : scale, share = keep * expf(top - all.top) / all.sum;

        put<ALIGNED>(g, v, count, share);
        if (mine) {
            g[l] = share * expf(at_label - top) - scale;
            p.loss[n] = logf(all.sum) - (at_label - all.top);
        }
        if (t == 0 && b == 0) {
            p.lse[n] = all.top + logf(all.sum);
            if (label < 0)
                p.loss[n] = 0.0f;
        }
        label = next_label;
        scale = next_scale;
    }
    cg::this_cluster().sync(); // others may still write to this block's memory
}

extern "C" void
solve(const float *logits, const int *labels, const float *grad_loss, float *loss, float *lse,
      float *grad_logits, int N, int V)
{
    auto kernel = V % 4 == 0 ? rows<true> : rows<false>;
    int clusters = 1;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute shape = {};

    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {CLUSTER, 1, 1};
    config.gridDim = CLUSTER;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = V % 4 == 0 ? (V + 4 * CLUSTER - 1) / (4 * CLUSTER) * 16 : 0;
    config.attrs = &shape;
    config.numAttrs = 1;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST * 4);
    cudaOccupancyMaxActiveClusters(&clusters, kernel, &config); // at a time
    kernel<<<min(N, clusters) * CLUSTER, THREADS, config.dynamicSmemBytes>>>(
        {logits, labels, grad_loss, loss, lse, grad_logits, N, V});
}

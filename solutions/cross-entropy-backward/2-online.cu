// warpjudge: cross-entropy-backward
// expect: accepted
// not-modelled: rows of the size on emu stay in L1, so that a pass less saves no memory traffic
// idea: A long row is in no cache when it is read again, so that each pass costs its full traffic.
//   Find the maximum and the sum in one pass: whenever a larger number turns up, rescale the sum so
//   far.
// Against step 1: the maximum and the sum of exponentials come from one pass. Where a larger number
// turns up, the sum so far is rescaled. A row is read twice instead of three times, and shuffles
// join what the threads have.
// H200: 2.47 ms, 1.16 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 256

// The largest of some numbers, and their exponentials relative to it, added up.
struct partial {
    float top, sum;
};

__device__ static partial
join(partial a, partial b)
{
    float top = fmaxf(a.top, b.top);

    if (top == -INFINITY) // both are empty
        return a;
    return {top, a.sum * expf(a.top - top) + b.sum * expf(b.top - top)};
}

// Joined over the block, in every thread.
__device__ static partial
block_join(partial own)
{
    __shared__ partial warps[THREADS / 32];

    for (int offset = 16; offset > 0; offset /= 2) {
        float top = __shfl_xor_sync(0xFFFFFFFFu, own.top, offset);
        float sum = __shfl_xor_sync(0xFFFFFFFFu, own.sum, offset);

        own = join(own, {top, sum});
    }
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = own;
    __syncthreads();
    own = warps[0];
    for (int w = 1; w < THREADS / 32; w++)
        own = join(own, warps[w]);
    return own;
}

__global__ void
rows(const float *logits, const int *labels, const float *grad_loss, float *loss, float *lse,
     float *grad_logits, int V)
{
    int n = blockIdx.x, label = labels[n];
    const float *x = logits + (size_t)n * V;
    float *g = grad_logits + (size_t)n * V;
    partial own = {-INFINITY, 0.0f};

    for (int v = threadIdx.x; v < V; v += THREADS) {
        if (x[v] > own.top) {
            own.sum *= expf(own.top - x[v]);
            own.top = x[v];
        }
        own.sum += expf(x[v] - own.top);
    }
    partial all = block_join(own);
    float scale = label < 0 ? 0.0f : grad_loss[n];

    for (int v = threadIdx.x; v < V; v += THREADS)
        g[v] = scale * (expf(x[v] - all.top) / all.sum - (v == label ? 1.0f : 0.0f));
    if (threadIdx.x == 0) {
        lse[n] = all.top + logf(all.sum);
        loss[n] = label < 0 ? 0.0f : logf(all.sum) - (x[label] - all.top);
    }
}

extern "C" void
solve(const float *logits, const int *labels, const float *grad_loss, float *loss, float *lse,
      float *grad_logits, int N, int V)
{
    rows<<<N, THREADS>>>(logits, labels, grad_loss, loss, lse, grad_logits, V);
}

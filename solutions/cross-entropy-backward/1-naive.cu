// warpjudge: cross-entropy-backward
// expect: accepted
// idea: Each row needs its maximum, the sum of its exponentials and then its gradients. Give each
//   row a block, which goes over the row once for each of the three.
// One block for each row: the maximum, the sum of exponentials relative to it, the gradients. A row
// of half a megabyte is read three times, and is in no cache by then.
// H200: 2.85 ms
#include <cuda_runtime.h>

#define THREADS 256

__device__ float
block_max(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = fmaxf(tree[t], tree[t + half]);
        __syncthreads();
    }
    return tree[0];
}

__device__ float
block_sum(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    return tree[0];
}

__global__ void
rows(const float *logits, const int *labels, const float *grad_loss, float *loss, float *lse,
     float *grad_logits, int V)
{
    int n = blockIdx.x, label = labels[n];
    const float *x = logits + (size_t)n * V;
    float *g = grad_logits + (size_t)n * V;
    float top = -INFINITY, sum = 0.0f;

    for (int v = threadIdx.x; v < V; v += THREADS)
        top = fmaxf(top, x[v]);
    top = block_max(top);
    for (int v = threadIdx.x; v < V; v += THREADS)
        sum += expf(x[v] - top);
    sum = block_sum(sum);
    float scale = label < 0 ? 0.0f : grad_loss[n];

    for (int v = threadIdx.x; v < V; v += THREADS)
        g[v] = scale * (expf(x[v] - top) / sum - (v == label ? 1.0f : 0.0f));
    if (threadIdx.x == 0) {
        lse[n] = top + logf(sum);
        loss[n] = label < 0 ? 0.0f : logf(sum) - (x[label] - top);
    }
}

extern "C" void
solve(const float *logits, const int *labels, const float *grad_loss, float *loss, float *lse,
      float *grad_logits, int N, int V)
{
    rows<<<N, THREADS>>>(logits, labels, grad_loss, loss, lse, grad_logits, V);
}

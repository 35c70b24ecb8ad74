/* Losses and gradients in double, each rounded once: a block for each row, the sums in the same
 * order every time. */
#define THREADS 256

/* The sum or the maximum of all threads' values, in every thread. */
template <bool MAXIMUM>
__device__ static double
block_join(double value)
{
    __shared__ double tree[THREADS];
    unsigned t = threadIdx.x;

    __syncthreads(); /* the call before may still be reading */
    tree[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = MAXIMUM ? fmax(tree[t], tree[t + half]) : tree[t] + tree[t + half];
        __syncthreads();
    }
    return tree[0];
}

__global__ static void
rows(const float *logits, const int *labels, const float *grad_loss, float *loss, float *lse,
     float *grad_logits, int V)
{
    int n = (int)blockIdx.x, label = labels[n];
    const float *x = logits + (size_t)n * V;
    float *g = grad_logits + (size_t)n * V;
    double top = x[0], sum = 0;

    for (int v = (int)threadIdx.x; v < V; v += THREADS)
        top = fmax(top, (double)x[v]);
    top = block_join<true>(top);
    for (int v = (int)threadIdx.x; v < V; v += THREADS)
        sum += exp(x[v] - top);
    sum = block_join<false>(sum);
    for (int v = (int)threadIdx.x; v < V; v += THREADS)
        g[v] = label < 0 ? 0.0f : (float)(grad_loss[n] * (exp(x[v] - top) / sum - (v == label)));
    if (threadIdx.x == 0) {
        lse[n] = (float)(top + log(sum));
        loss[n] = label < 0 ? 0.0f : (float)(log(sum) - (x[label] - top));
    }
}

extern "C" void
solve(const float *logits, const int *labels, const float *grad_loss, float *loss, float *lse,
      float *grad_logits, int N, int V)
{
    rows<<<N, THREADS>>>(logits, labels, grad_loss, loss, lse, grad_logits, V);
}

// warpjudge: token-embedding-layer
// expect: wrong_answer
// Takes row t of the position table at time t, and ignores position_ids.
#include <cuda_runtime.h>

#define THREADS 128

// The sum over the block, in every thread.
__device__ static float
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
    value = tree[0];
    __syncthreads();
    return value;
}

// One block for each token of the batch.
__global__ void
embed(const int *token_ids, const int *position_ids, const float *token_embeddings,
      const float *position_embeddings, const float *gamma, const float *beta,
      float *output, int T, int P, int D, float eps)
{
    int token = blockIdx.x, time = token % T;
    const float *a = token_embeddings + (size_t)token_ids[token] * D;
    const float *b = position_embeddings + (size_t)(time % P) * D;
    float sum = 0.0f, squares = 0.0f;

    for (int d = threadIdx.x; d < D; d += THREADS)
        sum += a[d] + b[d];
    float mean = block_sum(sum) / D;

    for (int d = threadIdx.x; d < D; d += THREADS) {
        float s = a[d] + b[d] - mean;

        squares += s * s;
    }
    float variance = block_sum(squares) / D;
    float scale = 1.0f / sqrtf(variance + eps);

    for (int d = threadIdx.x; d < D; d += THREADS)
        output[(size_t)token * D + d] = gamma[d] * (a[d] + b[d] - mean) * scale + beta[d];
}

extern "C" void
solve(const int *token_ids, const int *position_ids, const float *token_embeddings,
      const float *position_embeddings, const float *gamma, const float *beta,
      float *output, int B, int T, int V, int P, int D, float eps)
{
    embed<<<B * T, THREADS>>>(token_ids, position_ids, token_embeddings,
                              position_embeddings, gamma, beta, output, T, P, D, eps);
}

// warpjudge: moe-top-k-gating
// expect: wrong_answer
// The search for the maximum starts at 0: where all scores are below, it finds expert 0.
#include <cuda_runtime.h>

// One thread for each token: the best score that is worse than the last one chosen, k
// times. No two scores of a token are equal.
__global__ void
choose(const float *logits, float *topk_weights, int *topk_indices, int M, int E, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= M)
        return;
    const float *row = logits + i * E;
    float *weights = topk_weights + i * k;
    float last = INFINITY, sum = 0.0f;

    for (int r = 0; r < k; r++) {
        int best = 0;
        float value = 0.0f;

        for (int e = 0; e < E; e++)
            if (row[e] < last && row[e] > value) {
                best = e;
                value = row[e];
            }
        last = row[best];
        topk_indices[i * k + r] = best;
        weights[r] = expf(last - row[topk_indices[i * k]]);
        sum += weights[r];
    }
    for (int r = 0; r < k; r++)
        weights[r] /= sum;
}

extern "C" void
solve(const float *logits, float *topk_weights, int *topk_indices, int M, int E, int k)
{
    choose<<<(M + 63) / 64, 64>>>(logits, topk_weights, topk_indices, M, E, k);
}

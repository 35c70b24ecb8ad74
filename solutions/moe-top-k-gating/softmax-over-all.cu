// warpjudge: moe-top-k-gating
// expect: wrong_answer
// Takes the softmax over all experts and leaves the chosen weights as they are.
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
        int best = -1;

        for (int e = 0; e < E; e++)
            if (row[e] < last && (best < 0 || row[e] > row[best]))
                best = e;
        last = row[best];
        topk_indices[i * k + r] = best;
        weights[r] = expf(last - row[topk_indices[i * k]]);
    }
    for (int e = 0; e < E; e++)
        sum += expf(row[e] - row[topk_indices[i * k]]);
    for (int r = 0; r < k; r++)
        weights[r] /= sum;
}

extern "C" void
solve(const float *logits, float *topk_weights, int *topk_indices, int M, int E, int k)
{
    choose<<<(M + 63) / 64, 64>>>(logits, topk_weights, topk_indices, M, E, k);
}

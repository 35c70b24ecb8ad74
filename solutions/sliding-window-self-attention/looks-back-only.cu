// warpjudge: sliding-window-self-attention
// expect: wrong_answer
// Sees the keys before the query and its own, but none after it.
#include <cuda_runtime.h>

#define WIDTH_MAX 128

// One pass over the window: sums relative to the largest score so far.
__global__ void
attend(const float *Q, const float *K, const float *V, float *output, int M, int d,
       int window_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float top = -INFINITY, total = 0.0f, sum[WIDTH_MAX];

    if (i >= M)
        return;
    for (int c = 0; c < d; c++)
        sum[c] = 0.0f;
    for (int j = max(0, i - window_size); j <= i; j++) {
        float score = 0.0f;

        for (int c = 0; c < d; c++)
            score += Q[i * d + c] * K[j * d + c];
        score /= sqrtf((float)d);
        float higher = fmaxf(top, score), shrink = expf(top - higher),
              weight = expf(score - higher);

        top = higher;
        total = total * shrink + weight;
        for (int c = 0; c < d; c++)
            sum[c] = sum[c] * shrink + weight * V[j * d + c];
    }
    for (int c = 0; c < d; c++)
        output[i * d + c] = sum[c] / total;
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int d,
      int window_size)
{
    attend<<<(M + 63) / 64, 64>>>(Q, K, V, output, M, d, window_size);
}

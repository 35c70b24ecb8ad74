// warpjudge: attention-mask
// expect: wrong_answer
// Adds -1e9 to the masked scores instead of replacing them: NaN in the padding stays NaN.
#include <cuda_runtime.h>

__global__ void
score(const float *Q, const float *K, const int *q_lens, const int *k_lens, float *scores,
      int Hq, int Hkv, int Tq, int Tk, int D)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int b = blockIdx.z / Hq, h = blockIdx.z % Hq, g = h / (Hq / Hkv);

    if (i < Tq && j < Tk) {
        const float *q = Q + (((size_t)b * Hq + h) * Tq + i) * D;
        const float *k = K + (((size_t)b * Hkv + g) * Tk + j) * D;
        float dot = 0.0f;

        for (int d = 0; d < D; d++)
            dot += q[d] * k[d];
        float score = dot / sqrtf((float)D);

        if (i >= q_lens[b] || j >= k_lens[b] || j > i + k_lens[b] - q_lens[b])
            score += -1e9f;
        scores[(((size_t)b * Hq + h) * Tq + i) * Tk + j] = score;
    }
}

extern "C" void
solve(const float *Q, const float *K, const int *q_lens, const int *k_lens, float *scores,
      int B, int Hq, int Hkv, int Tq, int Tk, int D)
{
    dim3 block(16, 16), grid((Tk + 15) / 16, (Tq + 15) / 16, B * Hq);

    score<<<grid, block>>>(Q, K, q_lens, k_lens, scores, Hq, Hkv, Tq, Tk, D);
}

// warpjudge: flash-attention-forward
// A thread for each row, which computes its scores three times.
#include <cuda_fp16.h>

__device__ float
score(const __half *q, const __half *k, int d)
{
    float sum = 0;

    for (int t = 0; t < d; t++)
        sum += __half2float(q[t]) * __half2float(k[t]);
    return sum / sqrtf((float)d);
}

__global__ void
each(const __half *Q, const __half *K, const __half *V, __half *O, float *LSE, int B, int H, int S, int D)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    const int base = i / S * S * D, row = i % S;
    float top = -INFINITY, sum = 0, out[128];

    if (i >= B * H * S)
        return;
    for (int j = 0; j <= row; j++)
        top = fmaxf(top, score(Q + base + row * D, K + base + j * D, D));
    for (int j = 0; j <= row; j++)
        sum += expf(score(Q + base + row * D, K + base + j * D, D) - top);
    for (int t = 0; t < D; t++)
        out[t] = 0;
    for (int j = 0; j <= row; j++) {
        float weight = expf(score(Q + base + row * D, K + base + j * D, D) - top) / sum;

        for (int t = 0; t < D; t++)
            out[t] += weight * __half2float(V[base + j * D + t]);
    }
    for (int t = 0; t < D; t++)
        O[base + row * D + t] = __float2half(out[t]);
    LSE[i] = top + logf(sum);
}

extern "C" void
solve(const __half *Q, const __half *K, const __half *V, __half *O, float *LSE, int B, int H, int S, int D)
{
    each<<<(B * H * S + 255) / 256, 256>>>(Q, K, V, O, LSE, B, H, S, D);
}

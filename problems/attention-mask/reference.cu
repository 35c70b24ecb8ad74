/* Dot products in double, a thread for each score. */
__global__ static void
score(const float *Q, const float *K, const int *q_lens, const int *k_lens, float *scores,
      int Hq, int Hkv, int Tq, int Tk, int D)
{
    const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x),
              i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const size_t head = blockIdx.z;
    const int b = (int)head / Hq, g = (int)head % Hq / (Hq / Hkv);

    if (i >= Tq || j >= Tk)
        return;
    float *out = scores + (head * Tq + i) * Tk + j;

    if (i < q_lens[b] && j < k_lens[b] && j <= i + k_lens[b] - q_lens[b]) {
        const float *q = Q + (head * Tq + i) * D,
                    *k = K + (((size_t)b * Hkv + g) * Tk + j) * D;
        double sum = 0;

        for (int d = 0; d < D; d++)
            sum += (double)q[d] * k[d];
        *out = (float)(sum / sqrt((double)D));
    } else {
        *out = -1e9f;
    }
}

extern "C" void
solve(const float *Q, const float *K, const int *q_lens, const int *k_lens, float *scores,
      int B, int Hq, int Hkv, int Tq, int Tk, int D)
{
    dim3 block(32, 8),
        grid((unsigned)(Tk + 31) / 32, (unsigned)(Tq + 7) / 8, (unsigned)(B * Hq));

    score<<<grid, block>>>(Q, K, q_lens, k_lens, scores, Hq, Hkv, Tq, Tk, D);
}

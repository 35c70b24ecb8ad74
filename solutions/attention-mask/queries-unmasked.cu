// warpjudge: attention-mask
// expect: wrong_answer
// Only the keys' lengths count: queries behind q_lens are not masked.
__global__ void score(const float *Q, const float *K, const int *q_lens, const int *k_lens, float *scores, int B, int Hq,
                      int Hkv, int Tq, int Tk, int D)
{
    long at = blockIdx.x * (long)blockDim.x + threadIdx.x;

    if (at >= (long)B * Hq * Tq * Tk)
        return;
    int j = at % Tk, i = at / Tk % Tq;
    long head = at / Tk / Tq, b = head / Hq, g = head % Hq / (Hq / Hkv);
    const float *q = Q + (head * Tq + i) * D, *k = K + ((b * Hkv + g) * Tk + j) * D;
    float sum = 0;

    for (int d = 0; d < D; d++)
        sum += q[d] * k[d];
    scores[at] = j < k_lens[b] && j <= i + k_lens[b] - q_lens[b] ? sum / sqrtf((float)D) : -1e9f;
}

extern "C" void
solve(const float *Q, const float *K, const int *q_lens, const int *k_lens, float *scores, int B, int Hq, int Hkv,
      int Tq, int Tk, int D)
{
    score<<<(unsigned)(((long)B * Hq * Tq * Tk + 127) / 128), 128>>>(Q, K, q_lens, k_lens, scores, B, Hq, Hkv, Tq, Tk,
                                                                    D);
}

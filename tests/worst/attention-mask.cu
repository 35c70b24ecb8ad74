// warpjudge: attention-mask
// One thread does everything, in double.
__device__ float
score(const float *q, const float *k, int D)
{
    double sum = 0;

    for (int d = 0; d < D; d++)
        sum += (double)q[d] * k[d];
    return (float)(sum / sqrt(D));
}

__global__ void
serial(const float *Q, const float *K, const int *q_lens, const int *k_lens, float *scores,
       int B, int Hq, int Hkv, int Tq, int Tk, int D)
{
    for (long head = 0; head < (long)B * Hq; head++) {
        const long b = head / Hq, g = head % Hq / (Hq / Hkv);
        const long ahead = k_lens[b] - q_lens[b];

        for (long i = 0; i < Tq; i++) {
            const float *q = Q + (head * Tq + i) * D;
            float *row = scores + (head * Tq + i) * Tk;

            for (long j = 0; j < Tk; j++) {
                bool seen = i < q_lens[b] && j < k_lens[b] && j <= i + ahead;

                row[j] = seen ? score(q, K + ((b * Hkv + g) * Tk + j) * D, D) : -1e9f;
            }
        }
    }
}

extern "C" void
solve(const float *Q, const float *K, const int *q_lens, const int *k_lens, float *scores,
      int B, int Hq, int Hkv, int Tq, int Tk, int D)
{
    serial<<<1, 1>>>(Q, K, q_lens, k_lens, scores, B, Hq, Hkv, Tq, Tk, D);
}

// warpjudge: moe-top-k-gating
// One thread does everything, in double.
#define EXPERTS_MAX 256

__global__ void
serial(const float *logits, float *topk_weights, int *topk_indices, int M, int E, int k)
{
    for (long i = 0; i < M; i++) {
        const float *row = logits + i * E;
        int best[EXPERTS_MAX], count = 0;
        double sum = 0;

        for (int e = 0; e < E; e++) {
            int r = count < k ? count++ : k;

            for (; r > 0 && row[e] > row[best[r - 1]]; r--)
                if (r < k)
                    best[r] = best[r - 1];
            if (r < k)
                best[r] = e;
        }
        for (int r = 0; r < k; r++)
            sum += exp((double)row[best[r]] - row[best[0]]);
        for (int r = 0; r < k; r++) {
            topk_indices[i * k + r] = best[r];
            topk_weights[i * k + r] =
                (float)(exp((double)row[best[r]] - row[best[0]]) / sum);
        }
    }
}

extern "C" void
solve(const float *logits, float *topk_weights, int *topk_indices, int M, int E, int k)
{
    serial<<<1, 1>>>(logits, topk_weights, topk_indices, M, E, k);
}

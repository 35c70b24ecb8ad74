// warpjudge: categorical-cross-entropy-loss
// One thread does everything.
__global__ void
serial(const float *logits, const int *true_labels, float *loss, int N, int C)
{
    double total = 0;

    for (int i = 0; i < N; i++) {
        float top = -INFINITY, sum = 0;

        for (int c = 0; c < C; c++)
            top = fmaxf(top, logits[i * C + c]);
        for (int c = 0; c < C; c++)
            sum += expf(logits[i * C + c] - top);
        total += top + logf(sum) - logits[i * C + true_labels[i]];
    }
    *loss = total / N;
}

extern "C" void
solve(const float *logits, const int *true_labels, float *loss, int N, int C)
{
    serial<<<1, 1>>>(logits, true_labels, loss, N, C);
}

/*
 * A block for each sequence, in double. Its first thread finds where the proposals end; then each
 * thread adds up a piece of the distribution to sample, and the thread in whose piece the running sum
 * reaches the number picks.
 */
#define THREADS 256

/* The weight of a token: q, or max(q - p, 0) where p is given. */
__device__ static double
weight(const float *p, const float *q, int v)
{
    double w = p ? (double)q[v] - p[v] : q[v];

    return w > 0 ? w : 0.0;
}

__global__ static void
verify(const int *draft_tokens, const float *draft_probs, const float *target_probs, const float *uniform_samples,
       int *output_tokens, int T, int V)
{
    __shared__ double before[THREADS + 1];
    __shared__ int accepted;
    const int t = (int)threadIdx.x, piece = (V + THREADS - 1) / THREADS;
    const int first = min(V, t * piece), end = min(V, first + piece);
    const size_t b = blockIdx.x;
    const float *p = draft_probs + b * T * V, *q = target_probs + b * T * V;
    const float *u = uniform_samples + b * (T + 1);
    int *output = output_tokens + b * (T + 1);
    double sum = 0, all, r;

    if (t == 0) {
        int n = 0;

        while (n < T) {
            int token = draft_tokens[b * T + n];

            if (!(u[n] < (double)q[(size_t)n * V + token] / p[(size_t)n * V + token]))
                break;
            output[n++] = token;
        }
        for (int i = n; i <= T; i++)
            output[i] = i == n ? V - 1 : 0;
        accepted = n;
    }
    __syncthreads();
    q += (size_t)min(accepted, T - 1) * V;
    p = accepted < T ? p + (size_t)accepted * V : nullptr;
    for (int v = first; v < end; v++)
        sum += weight(p, q, v);
    before[t + 1] = sum;
    __syncthreads();
    if (t == 0) {
        before[0] = 0;
        for (int k = 1; k <= THREADS; k++)
            before[k] += before[k - 1];
    }
    __syncthreads();
    all = before[THREADS];
    r = u[T];
    if (p && all > 0)
        r *= all;
    if (p && !(all > 0)) {
        if (t == 0)
            output[accepted] = min(V - 1, max(0, (int)ceil(r * V) - 1));
        return;
    }
    /* Of the pieces whose sums reach r the first picks; r = 0 is reached by the first token. */
    if (first < end && before[t + 1] >= r && (t == 0 || before[t] < r)) {
        double running = before[t];

        for (int v = first; v < end; v++) {
            running += weight(p, q, v);
            if (running >= r || v == end - 1) {
                output[accepted] = v;
                break;
            }
        }
    }
}

extern "C" void
solve(const int *draft_tokens, const float *draft_probs, const float *target_probs, const float *uniform_samples,
      int *output_tokens, int B, int T, int V)
{
    verify<<<(unsigned)B, THREADS>>>(draft_tokens, draft_probs, target_probs, uniform_samples, output_tokens, T, V);
}

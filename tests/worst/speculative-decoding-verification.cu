// warpjudge: speculative-decoding-verification
// One thread does everything, in double.
/* The first index at which the running sum reaches r, of q (p NULL) or of max(q - p, 0)
 * scaled to a sum of 1; equal chances if all of these are 0. */
__device__ int
pick(const float *p, const float *q, double r, int V)
{
    double sum = 0, running = 0;

    for (int v = 0; p && v < V; v++)
        sum += q[v] > p[v] ? (double)q[v] - p[v] : 0;
    for (int v = 0; v < V; v++) {
        if (!p)
            running += q[v];
        else if (sum > 0)
            running += (q[v] > p[v] ? (double)q[v] - p[v] : 0) / sum;
        else
            running = (v + 1.0) / V;
        if (running >= r)
            return v;
    }
    return V - 1;
}

__global__ void
serial(const int *draft_tokens, const float *draft_probs, const float *target_probs,
       const float *uniform_samples, int *output_tokens, int B, int T, int V)
{
    for (long b = 0; b < B; b++) {
        const float *p = draft_probs + b * T * V, *q = target_probs + b * T * V;
        const float *u = uniform_samples + b * (T + 1);
        int *output = output_tokens + b * (T + 1), t = 0;

        for (int i = 0; i <= T; i++)
            output[i] = 0;
        for (; t < T; t++, p += V, q += V) {
            int token = draft_tokens[b * T + t];

            if (!(u[t] < (double)q[token] / p[token]))
                break;
            output[t] = token;
        }
        output[t] = t < T ? pick(p, q, u[T], V) : pick(0, q - V, u[T], V);
    }
}

extern "C" void
solve(const int *draft_tokens, const float *draft_probs, const float *target_probs,
      const float *uniform_samples, int *output_tokens, int B, int T, int V)
{
    serial<<<1, 1>>>(draft_tokens, draft_probs, target_probs, uniform_samples, output_tokens, B, T,
                     V);
}

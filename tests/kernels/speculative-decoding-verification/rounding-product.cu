// warpjudge: speculative-decoding-verification
// expect: accepted
// Compares products where the statement divides, and sums the total from the last token down.
#include <cuda_runtime.h>

__global__ void
verify(const int *draft_tokens, const float *draft_probs, const float *target_probs, const float *uniform_samples,
       int *output_tokens, int B, int T, int V)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x, i = 0;

    if (b >= B)
        return;
    const float *p = draft_probs + (size_t)b * T * V, *q = target_probs + (size_t)b * T * V;
    const float *u = uniform_samples + b * (T + 1);
    int *output = output_tokens + b * (T + 1);

    for (; i < T; i++) {
        int t = draft_tokens[b * T + i];

        if (u[i] * p[(size_t)i * V + t] >= q[(size_t)i * V + t])
            break;
        output[i] = t;
    }
    bool rejected = i < T;
    float total = 1.0f, running = 0.0f;

    p += (size_t)min(i, T - 1) * V;
    q += (size_t)min(i, T - 1) * V;
    if (rejected) {
        total = 0.0f;
        for (int v = V - 1; v >= 0; v--)
            total += fmaxf(q[v] - p[v], 0.0f);
    }
    output[i] = V - 1;
    for (int v = 0; v < V; v++) {
        if (!rejected)
            running += q[v];
        else
            running += total > 0.0f ? fmaxf(q[v] - p[v], 0.0f) : 1.0f / V;
        if (running >= u[T] * (rejected && total > 0.0f ? total : 1.0f)) {
            output[i] = v;
            break;
        }
    }
}

extern "C" void
solve(const int *draft_tokens, const float *draft_probs, const float *target_probs, const float *uniform_samples,
      int *output_tokens, int B, int T, int V)
{
    verify<<<(B + 31) / 32, 32>>>(draft_tokens, draft_probs, target_probs, uniform_samples, output_tokens, B, T, V);
}

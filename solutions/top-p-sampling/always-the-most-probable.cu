// warpjudge: top-p-sampling
// expect: wrong_answer
// Takes the most probable token, which is always in the nucleus, and draws nothing.
#include <cuda_runtime.h>

__global__ void
find_largest(const float *logits, int *sampled_token, int vocab_size)
{
    int best = 0;

    for (int t = 1; t < vocab_size; t++)
        if (logits[t] > logits[best])
            best = t;
    *sampled_token = best;
}

extern "C" void
solve(const float *logits, const float *p, const int *seed, int *sampled_token, int vocab_size)
{
    find_largest<<<1, 1>>>(logits, sampled_token, vocab_size);
}

// warpjudge: top-p-sampling
// One thread does everything, in double.
#include <stdint.h>

struct entry {
    double weight;
    int index;
};

__device__ bool
comes_first(const struct entry &x, const struct entry &y)
{
    return x.weight != y.weight ? x.weight > y.weight : x.index < y.index;
}

/* Lets the token at `place` sink in a heap whose root comes last. */
__device__ void
sink(struct entry *heap, int place, int count)
{
    for (int child; (child = 2 * place + 1) < count; place = child) {
        struct entry kept = heap[place];

        if (child + 1 < count && comes_first(heap[child], heap[child + 1]))
            child++;
        if (!comes_first(kept, heap[child]))
            break;
        heap[place] = heap[child];
        heap[child] = kept;
    }
}

__device__ void
sort(struct entry *token, int count)
{
    for (int place = count / 2 - 1; place >= 0; place--)
        sink(token, place, count);
    for (int last = count - 1; last > 0; last--) {
        struct entry kept = token[0];

        token[0] = token[last];
        token[last] = kept;
        sink(token, 0, last);
    }
}

/* A number in [0, 1) from a seed (the output function of a splitmix generator). */
__device__ double
uniform(uint64_t state)
{
    state += 0x9E3779B97F4A7C15u;
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9u;
    state = (state ^ state >> 27) * 0x94D049BB133111EBu;
    state ^= state >> 31;
    return (double)(state >> 11) * 0x1p-53;
}

__global__ void
serial(const float *logits, const float *p, const int *seed, int *sampled_token, int vocab_size)
{
    struct entry *token = (struct entry *)malloc((size_t)vocab_size * sizeof *token);
    double top = logits[0], sum = 0, nucleus = 0, drawn;
    int count = 0;

    if (!token)
        __trap();
    for (int t = 0; t < vocab_size; t++)
        top = fmax(top, (double)logits[t]);
    for (int t = 0; t < vocab_size; t++) {
        token[t] = (struct entry){exp(logits[t] - top), t};
        sum += token[t].weight;
    }
    sort(token, vocab_size);
    while (count < vocab_size && nucleus < *p * sum)
        nucleus += token[count++].weight;
    drawn = uniform((uint64_t)(uint32_t)*seed) * nucleus;
    for (int r = 0; r < count; r++) {
        *sampled_token = token[r].index;
        drawn -= token[r].weight;
        if (drawn < 0)
            break;
    }
    free(token);
}

extern "C" void
solve(const float *logits, const float *p, const int *seed, int *sampled_token, int vocab_size)
{
    serial<<<1, 1>>>(logits, p, seed, sampled_token, vocab_size);
}

/* Sorts, walks the running sums to p, and draws from what it passed; all in double. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct token {
    double weight;
    int index;
};

static int
heavier_first(const void *a, const void *b)
{
    const struct token *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->index - y->index;
}

/* A number in [0, 1) from a seed (the output function of a splitmix generator). */
static double
uniform(uint64_t state)
{
    state += 0x9E3779B97F4A7C15u;
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9u;
    state = (state ^ state >> 27) * 0x94D049BB133111EBu;
    state ^= state >> 31;
    return (double)(state >> 11) * 0x1p-53;
}

void
solve(const float *logits, const float *p, const int *seed, int *sampled_token,
      int vocab_size)
{
    struct token *token = malloc((size_t)vocab_size * sizeof *token);
    double top = logits[0], sum = 0, nucleus = 0, drawn;
    int count = 0;

    if (!token)
        abort();
    for (int t = 0; t < vocab_size; t++)
        top = fmax(top, (double)logits[t]);
    for (int t = 0; t < vocab_size; t++) {
        token[t] = (struct token){exp(logits[t] - top), t};
        sum += token[t].weight;
    }
    qsort(token, (size_t)vocab_size, sizeof *token, heavier_first);
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

/*
 * Distributions over 64 tokens of the vocabulary (all of it if told "dense"), the same
 * ones for draft and target, so that about two of three proposals are accepted. Proposals
 * are drawn from the draft.
 *
 *   "equal"     the target is the draft: all are accepted; with "equal, given numbers"
 * the test tells the random numbers "rejected"  the draft is nearly sure of the first
 * token, the target is not: it is rejected
 *
 * No answer hangs on rounding: random numbers keep MARGIN away from ratios and running
 * sums.
 */
#include <stdbool.h>
#include <string.h>

#define MARGIN 1e-5
#define SUPPORT 64

struct row {
    int count; /* tokens that have a probability */
    int *token;
    float *weight;
};

/* Ascending places of `count` random tokens of V. */
static void
choose_tokens(struct draws *draws, struct row *row, int V)
{
    int left = row->count, at = 0;

    for (int v = 0; v < V && left > 0; v++)
        if (draw_uniform(draws, 0, V - v) < left) {
            row->token[at++] = v;
            left--;
        }
}

static void
draw_distribution(struct draws *draws, const struct row *row, float *probs)
{
    double sum = 0;

    for (int k = 0; k < row->count; k++) {
        row->weight[k] = (float)draw_uniform(draws, 0.001, 1);
        sum += row->weight[k];
    }
    for (int k = 0; k < row->count; k++)
        probs[row->token[k]] = (float)(row->weight[k] / sum);
}

static int
draw_token(struct draws *draws, const struct row *row, const float *probs)
{
    double left = draw_uniform(draws, 0, 1);
    int k = 0;

    while (k < row->count - 1 && (left -= probs[row->token[k]]) >= 0)
        k++;
    return row->token[k];
}

/* Nearly sure of `token`, against a target that gives all the same. */
static void
make_unlikely(const struct row *row, int token, float *draft, float *target)
{
    for (int k = 0; k < row->count; k++) {
        draft[row->token[k]] = 0.15F / (float)(row->count - 1);
        target[row->token[k]] = 1.0F / (float)row->count;
    }
    draft[token] = 0.85F;
}

/* A number that is clear of the ratio; now and then just below it, where fewer bits would
 * see it above. */
static float
draw_sample(struct draws *draws, double ratio, bool close)
{
    double u;

    if (close && ratio > 0.05 && ratio < 1)
        return (float)(ratio - 2 * MARGIN);
    do
        u = (float)draw_uniform(draws, MARGIN, 1 - MARGIN);
    while (fabs(u - ratio) < MARGIN);
    return (float)u;
}

/* A number that is clear of the running sums of q (of max(q - p, 0) where p is given),
 * scaled to 1. */
static float
draw_pick(struct draws *draws, const struct row *row, const float *p, const float *q)
{
    for (;;) {
        const double r = (float)draw_uniform(draws, MARGIN, 1 - MARGIN);
        double sum = 0, running = 0;
        bool clear = true;

        for (int k = 0; k < row->count; k++)
            sum += p ? fmax((double)q[row->token[k]] - p[row->token[k]], 0)
                     : q[row->token[k]];
        for (int k = 0; k < row->count; k++) {
            running += p ? fmax((double)q[row->token[k]] - p[row->token[k]], 0)
                         : q[row->token[k]];
            if (fabs(r - running / (p ? sum : 1)) < MARGIN)
                clear = false;
        }
        if (clear)
            return (float)r;
    }
}

/* One sequence: `p` and `q` are its T x V distributions. */
static void
make_sequence(struct draws *draws, const char *variant, int *tokens, float *p, float *q,
              float *u, struct row *row, bool close, int T, int V)
{
    const bool rejected = strcmp(variant, "rejected") == 0;
    bool picked = false;

    for (int t = 0; t < T; t++, p += V, q += V) {
        double ratio;

        choose_tokens(draws, row, V);
        draw_distribution(draws, row, p);
        if (strncmp(variant, "equal", 5) == 0)
            memcpy(q, p, (size_t)V * sizeof *q);
        else
            draw_distribution(draws, row, q);
        tokens[t] = draw_token(draws, row, p);
        if (rejected && t == 0)
            make_unlikely(row, tokens[t], p, q);
        ratio = (double)q[tokens[t]] / p[tokens[t]];
        u[t] = rejected && t == 0 ? 0.97F : draw_sample(draws, ratio, close && t == 0);
        if (!picked && (u[t] >= ratio || t == T - 1)) {
            u[T] = draw_pick(draws, row, u[t] >= ratio ? p : NULL, q);
            picked = true;
        }
    }
}

void
inputs(struct draws *draws, const char *variant, int *draft_tokens, float *draft_probs,
       float *target_probs, float *uniform_samples, int B, int T, int V)
{
    const bool few = strcmp(variant, "dense") != 0 && V > SUPPORT;
    struct row row = {few ? SUPPORT : V, calloc((size_t)V, sizeof(int)),
                      calloc((size_t)V, sizeof(float))};
    float *samples = calloc((size_t)T + 1, sizeof *samples);

    if (!row.token || !row.weight || !samples)
        abort();
    for (long b = 0; b < B; b++) {
        make_sequence(draws, variant, draft_tokens + b * T, draft_probs + b * T * V,
                      target_probs + b * T * V, samples, &row, b % 4 == 1, T, V);
        for (int t = 0; t <= T; t++)
            if (strcmp(variant, "equal, given numbers") != 0)
                uniform_samples[b * (T + 1) + t] = samples[t];
    }
    free(samples);
    free(row.weight);
    free(row.token);
}

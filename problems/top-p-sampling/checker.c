/*
 * How a generator is made from the seed is free, so that every token of the nucleus is
 * right: one that the tokens before it do not yet fill up to p, with room for the
 * rounding of running sums. One thing more can be seen in a single draw: who takes the
 * most probable token although its chance is below FLAT draws nothing at all.
 */
#include <math.h>

#define ROOM 1e-4
#define FLAT 2.5e-5

void
check(struct check *check, const float *logits, const float *p, const int *seed,
      const int *want_sampled_token, const int *sampled_token, int vocab_size)
{
    int token = *sampled_token, above = 0;
    double top = logits[0], sum = 0, before = 0;

    (void)seed;
    (void)want_sampled_token;
    if (token < 0 || token >= vocab_size) {
        check_fail(check, "sampled_token", 0, "%d is no token", token);
        return;
    }
    for (int t = 0; t < vocab_size; t++)
        top = fmax(top, (double)logits[t]);
    for (int t = 0; t < vocab_size; t++) {
        double weight = exp(logits[t] - top);

        sum += weight;
        if (logits[t] > logits[token]) {
            before += weight;
            above++;
        }
    }
    if (before / sum >= *p + ROOM)
        check_fail(check, "sampled_token", 0,
                   "%d is not in the nucleus: %d tokens with more probability sum to %g, "
                   "and p is %g",
                   token, above, before / sum, *p);
    else if (!check->benchmark && above == 0 && 1 / sum < FLAT)
        check_fail(
            check, "sampled_token", 0,
            "%d is the most probable token of %d nearly equal ones: nothing was drawn",
            token, vocab_size);
}

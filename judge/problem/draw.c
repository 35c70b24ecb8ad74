#include "problem/draw.h"

#include "numbers/gen_fn.h"

#include <string.h>

#define TWO_TO_MINUS_32 (1.0 / 4294967296.0)

double
draw_random(uint64_t seed, uint32_t stream, uint64_t k)
{
    const struct philox w = philox(seed, k, stream, GEN_LANE_RANDOM);

    return gen_uniform_wide(0, 1, w.word[0], w.word[1]);
}

double
draw_normal(uint64_t seed, uint32_t stream, uint64_t k)
{
    const struct philox w = philox(seed, k, stream, GEN_LANE_NORMAL);

    return gen_normal(&w, 0);
}

/* --- sorted ------------------------------------------------------------------------- */

static double
draw_gap(struct draw_sorted *s, uint64_t k)
{
    if (k / 4 != s->block) {
        const struct philox w = philox(s->seed, k / 4, s->stream, GEN_LANE_GAP);

        s->block = k / 4;
        memcpy(s->word, w.word, sizeof s->word);
    }
    return -gen_log(((double)s->word[k % 4] + 0.5) * TWO_TO_MINUS_32);
}

void
draw_sorted_open(struct draw_sorted *s, uint64_t seed, uint32_t stream, uint64_t which,
                 uint64_t count)
{
    *s = (struct draw_sorted){.seed = seed,
                              .stream = stream,
                              .first = which * (count + 1),
                              .count = count,
                              .block = UINT64_MAX};
    for (uint64_t k = 0; k <= count; k++)
        s->total += draw_gap(s, s->first + k);
}

double
draw_sorted_next(struct draw_sorted *s)
{
    double v;

    s->sum += draw_gap(s, s->first + s->at++);
    v = s->sum / s->total;
    return v < 1 ? v : 1 - 0x1p-53;
}

/* --- cells of a sparse matrix ------------------------------------------------------- */

/* The numbers are first drawn sorted over 0 .. range - count, where they may repeat.
 * Adding k to the k-th of them makes them distinct. */
void
draw_cells_open(struct draw_cells *c, uint64_t seed, uint32_t stream, uint64_t count,
                uint64_t range)
{
    *c = (struct draw_cells){.span = (double)(range - count + 1)};
    draw_sorted_open(&c->sorted, seed, stream, 0, count);
}

uint64_t
draw_cells_next(struct draw_cells *c)
{
    return (uint64_t)(draw_sorted_next(&c->sorted) * c->span) + c->at++;
}

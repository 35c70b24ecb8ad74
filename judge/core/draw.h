/*
 * Random sequences whose elements are not independent of each other, made in order on the
 * host from the judge's secret seed: sorted numbers, cut points, and the
 * places of a sparse matrix's elements. Doubles, whole where the sequence is.
 *
 * Same seed, stream and arguments: same sequence.
 */
#ifndef CORE_DRAW_H
#define CORE_DRAW_H

#include <stdbool.h>
#include <stdint.h>

/* random(k) and normal(k) of a formula. */
double draw_random(uint64_t seed, uint32_t stream, uint64_t k);
double draw_normal(uint64_t seed, uint32_t stream, uint64_t k);

/* --- sorted ------------------------------------------------------------------------- */

/* The order statistics of `count` uniform numbers over [0, 1), ascending: running sums of
 * exponential gaps over their total (L. Devroye, "Non-Uniform Random Variate Generation",
 * 1986, section V.3). */
struct draw_sorted {
    uint64_t seed, first, at, count; /* gaps first .. first + count are its own */
    uint32_t stream;
    double sum, total;
    uint64_t block; /* whose words these are; UINT64_MAX: none yet */
    uint32_t word[4];
};

void draw_sorted_open(struct draw_sorted *s, uint64_t seed, uint32_t stream,
                      uint64_t which, uint64_t count);
double draw_sorted_next(struct draw_sorted *s); /* at most count times */

/* --- cells of a sparse matrix ------------------------------------------------------- */

/* `count` distinct numbers of 0 .. range - 1, ascending. */
struct draw_cells {
    struct draw_sorted sorted;
    double span; /* range - count + 1 */
    uint64_t at;
};

void draw_cells_open(struct draw_cells *c, uint64_t seed, uint32_t stream, uint64_t count,
                     uint64_t range);
uint64_t draw_cells_next(struct draw_cells *c);

#endif

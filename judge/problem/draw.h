/*
 * Random sequences whose elements depend on each other: sorted numbers, cut points, and
 * the places of a sparse matrix's elements. They are made in order, on the host, from the
 * judge's secret seed. Elements are doubles, and whole numbers where the sequence is one
 * of whole numbers.
 *
 * The same seed, stream and arguments give the same sequence.
 */
#ifndef PROBLEM_DRAW_H
#define PROBLEM_DRAW_H

#include <stdbool.h>
#include <stdint.h>

/* The functions random(k) and normal(k) of a formula. */
double draw_random(uint64_t seed, uint32_t stream, uint64_t k);
double draw_normal(uint64_t seed, uint32_t stream, uint64_t k);

/* --- sorted ------------------------------------------------------------------------- */

/* `count` uniform numbers over [0, 1), ascending. They are running sums of exponential
 * gaps, divided by the total (L. Devroye, "Non-Uniform Random Variate Generation", 1986,
 * section V.3). */
struct draw_sorted {
    uint64_t seed, first, at, count; /* it uses the gaps first .. first + count */
    uint32_t stream;
    double sum, total;
    uint64_t block; /* the block whose words are in `word`; UINT64_MAX: none yet */
    uint32_t word[4];
};

void draw_sorted_open(struct draw_sorted *s, uint64_t seed, uint32_t stream,
                      uint64_t which, uint64_t count);
/* The next number. It may be called `count` times. */
double draw_sorted_next(struct draw_sorted *s);

/* --- cells of a sparse matrix ------------------------------------------------------- */

/* `count` distinct numbers from 0 to range - 1, ascending. */
struct draw_cells {
    struct draw_sorted sorted;
    double span; /* range - count + 1 */
    uint64_t at;
};

void draw_cells_open(struct draw_cells *c, uint64_t seed, uint32_t stream, uint64_t count,
                     uint64_t range);
uint64_t draw_cells_next(struct draw_cells *c);

#endif

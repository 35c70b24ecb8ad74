/*
 * Places on a board: pure functions over times in nanoseconds. Less is better.
 *
 * Equal times share a rank and the next rank skips (1, 2, 2, 4): a place says how many
 * are faster, nothing else.
 */
#ifndef CORE_RANK_H
#define CORE_RANK_H

#include <stddef.h>
#include <stdint.h>

/* How many of the OTHER entries of a board are faster than one, equal to it, slower. */
struct place {
    int64_t faster, ties, slower;
};

/* Where time_ns stands among others[0..n). */
struct place place_among(double time_ns, const double *others, size_t n);

int64_t place_rank(const struct place *p); /* 1 is the fastest */

/* 100 * (slower + ties/2) / (n - 1) where n counts the entry itself; 100 where n is 1. */
double place_percentile(const struct place *p);

/* The places of all entries of a board whose times are sorted, fastest first. */
void places_of_sorted(const double *sorted_ns, size_t n, struct place *out);

struct bucket {
    double from_ns, to_ns; /* from <= t < to, the last one includes to */
    int64_t count;
};

#define HISTOGRAM_BUCKETS_MAX 12

/* Buckets of equal width on a logarithmic axis from the fastest to the slowest time,
 * because a naive kernel is often a hundred times slower than a tuned one. As many
 * buckets as Sturges' rule asks for (ceil(log2 n) + 1), at most HISTOGRAM_BUCKETS_MAX;
 * one where all times are equal; none where n is 0. Times must be positive. Returns the
 * number of buckets; their counts add up to n. */
int histogram(const double *sorted_ns, size_t n,
              struct bucket out[HISTOGRAM_BUCKETS_MAX]);

#endif

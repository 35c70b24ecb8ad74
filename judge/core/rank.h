/*
 * Places on a board: pure functions over times in nanoseconds. Less is better.
 *
 * A time is a median with its 95% interval, and two that cannot be told apart share a
 * rank. "Cannot be told apart" is no equivalence (a and b may overlap, b and c, but not a
 * and c), so a rank is a group with a leader: entries are put in order by time, then by
 * the interval's lower and upper end; the first leads the first group; each further one
 * joins the group before it if its interval reaches down to its leader's (low <= the
 * leader's high), and otherwise leads the next. So nobody shares a rank with a leader
 * that it is surely slower than, groups are contiguous, and the order does not depend on
 * who came first.
 *
 * The next rank skips (1, 2, 2, 4): a rank is 1 + how many are in faster groups.
 */
#ifndef CORE_RANK_H
#define CORE_RANK_H

#include <stddef.h>
#include <stdint.h>

struct measured {
    double time_ns, low_ns, high_ns; /* low <= time <= high */
};

/* How many of the OTHER entries of a board are in faster groups than one, in its own, in
 * slower ones. */
struct place {
    int64_t faster, ties, slower;
};

/* Where `one` stands among others[0..n), which are in order, when it is put among them.
 */
struct place place_among(const struct measured *one, const struct measured *others,
                         size_t n);

int64_t place_rank(const struct place *p); /* 1 is the fastest */

/* 100 * (slower + ties/2) / (n - 1) where n counts the entry itself; 100 where n is 1. */
double place_percentile(const struct place *p);

/* The places of all entries of a board that is in order. */
void places_of_sorted(const struct measured *sorted, size_t n, struct place *out);

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

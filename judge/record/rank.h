/*
 * Places on a board, as pure functions over times in nanoseconds. A shorter time is
 * better.
 *
 * A time is a median with its interval. Times whose intervals overlap cannot be told
 * apart, and should share a rank. But overlapping is no equivalence: a and b may overlap,
 * and b and c, but not a and c. Therefore a rank is a group with a leader. Entries are
 * put in order by time, then by the lower and the upper end of the interval. The first
 * entry leads the first group. Each further entry joins the group before it if its low
 * is not above the high of that group's leader. Otherwise it leads the next group.
 *
 * No entry shares a rank with a leader that is surely faster. Groups are contiguous, and
 * the order does not depend on who came first.
 *
 * A rank is 1 + the number of entries in faster groups, so that ranks skip: 1, 2, 2, 4.
 */
#ifndef RECORD_RANK_H
#define RECORD_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measured {
    double time_ns, low_ns, high_ns; /* low <= time <= high */
};

/* Does `a` come before `b` in the order of a board? */
bool measured_precedes(const struct measured *a, const struct measured *b);

/* How many of the OTHER entries of a board are in faster groups than an entry, in its own
 * group and in slower groups. */
struct place {
    int64_t faster, ties, slower;
};

/* The place that `one` would have among the n others, which are in order. */
struct place place_among(const struct measured *one, const struct measured *others,
                         size_t n);

/* The rank. 1 is the fastest. */
int64_t place_rank(const struct place *p);

/* 100 * (slower + ties/2) / (n - 1), where n counts all entries. It is 100 where n is
 * 1. */
double place_percentile(const struct place *p);

/* The places of all entries of a board that is in order. */
void places_of_sorted(const struct measured *sorted, size_t n, struct place *out);

struct bucket {
    double from_ns, to_ns; /* it counts from <= t < to, and the last bucket also t = to */
    int64_t count;
};

#define HISTOGRAM_BUCKETS_MAX 12

/* Counts times in buckets of equal width from the fastest to the slowest time. The axis
 * is logarithmic, because a naive kernel is often a hundred times slower than a tuned
 * one. There are ceil(log2 n) + 1 buckets (Sturges' rule), at most HISTOGRAM_BUCKETS_MAX.
 * There is one where all times are equal, and none where n is 0. Times must be positive.
 * Returns the number of buckets, whose counts add up to n. */
int histogram(const double *sorted_ns, size_t n,
              struct bucket out[HISTOGRAM_BUCKETS_MAX]);

/* The same buckets, which are still empty, of n > 0 times. Each begins where the one
 * before ends. */
int histogram_buckets(double fastest_ns, double slowest_ns, size_t n,
                      struct bucket out[HISTOGRAM_BUCKETS_MAX]);

#endif

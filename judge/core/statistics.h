/*
 * Statistics of repeated measurements: pure functions over samples that need no order.
 * Nothing here assumes a distribution: times on a GPU have long tails to one side.
 */
#ifndef CORE_STATISTICS_H
#define CORE_STATISTICS_H

struct interval {
    double low, high;
};

/* Median and quartiles by linear interpolation between order statistics (type 7 of
 * Hyndman and Fan, "Sample quantiles in statistical packages", 1996). n >= 1. */
double quantile(const double *samples, int n, double p);

/* The rank k (1-based) so that the k-th smallest and the k-th largest of n samples
 * enclose the population's median with at least 95% confidence: the largest k with
 * 2 * P(B < k) <= 0.05, where B, how many samples lie below the median, is binomial with
 * n trials of 1/2 (H. A. David and H. N. Nagaraja, "Order Statistics", 3rd ed., 2003,
 * section 7.1). 0 where n < 6: not even the extremes enclose it so surely. */
int median_interval_rank(int n);

/* Those two samples; the extremes where n < 6. n >= 1. */
struct interval median_interval(const double *samples, int n);

/* The interval of a - b for two independent estimates with intervals of one confidence
 * (the "method of variance estimates recovery": G. Y. Zou and A. Donner, "Construction of
 * confidence limits about effect measures", Statistics in Medicine 27, 2008). */
struct interval interval_difference(double a, struct interval of_a, double b,
                                    struct interval of_b);

#endif

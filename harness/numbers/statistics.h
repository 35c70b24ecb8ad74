/*
 * Statistics of repeated measurements, as pure functions over samples in any order. None
 * assumes a distribution, because times on a GPU have a long tail to one side.
 */
#ifndef NUMBERS_STATISTICS_H
#define NUMBERS_STATISTICS_H

struct interval {
    double low, high;
};

/* The quantile p, by linear interpolation between order statistics (type 7 of Hyndman and
 * Fan, "Sample quantiles in statistical packages", 1996). n is at least 1. */
double quantile(const double *samples, int n, double p);

/* The rank k, from 1, such that the k-th smallest and the k-th largest of n samples
 * enclose the population's median with at least 95% confidence. B, the number of samples
 * below the median, is binomial with n trials of 1/2, and k is the largest with 2 * P(B <
 * k) <= 0.05 (H. A. David and H. N. Nagaraja, "Order Statistics", 3rd ed., 2003,
 * section 7.1). It is 0 for n < 6, where not even the extremes enclose the median so
 * surely. */
int median_interval_rank(int n);

/* The two samples of that rank, or the extremes where n < 6. n is at least 1. */
struct interval median_interval(const double *samples, int n);

/* An interval for who may draw the samples again and again, and shows the best draw only.
 * Its lower end is that of median_interval. Its upper end is so far above the largest
 * sample that the population's median is below it in a draw with 99.9% confidence, and so
 * in fifty draws with 95%. For n >= 10 the largest sample itself is enough: all n are
 * below the median with a probability of 2^-n. For fewer samples it is the largest and a
 * part of their range, after E. Lord, "The use of range in place of standard deviation in
 * the t-test", Biometrika 34 (1947). That assumes a distribution without lumps. Samples
 * that are all equal give a point. n is at least 3. */
struct interval redrawn_interval(const double *samples, int n);

/* The interval of a - b for two independent estimates whose intervals have one
 * confidence. This is the "method of variance estimates recovery" (G. Y. Zou and A.
 * Donner, "Construction of confidence limits about effect measures", Statistics in
 * Medicine 27, 2008). */
struct interval interval_difference(double a, struct interval of_a, double b,
                                    struct interval of_b);

#endif

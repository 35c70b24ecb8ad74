/* How much faster one time is than another, where both have intervals. */
#ifndef NUMBERS_RATIO_H
#define NUMBERS_RATIO_H

#include "numbers/statistics.h"

/* A ratio, and the interval that holds it. */
struct ratio {
    double value, low, high;
};

enum faster {
    FASTER_NO,     /* it is surely slower */
    FASTER_UNSURE, /* the intervals touch */
    FASTER_YES,    /* it is surely faster */
};

/* The ratio of the baseline's time to a time: 2 where the time is half as long. Its ends
 * are the least and the largest ratio of numbers in the two intervals, so that it holds
 * the true one wherever both of them hold theirs. All numbers are above 0. */
struct ratio ratio_of(double time, struct interval of_time, double baseline,
                      struct interval of_baseline);

/* A time is faster only where no number of its interval is in the baseline's. */
enum faster ratio_faster(struct interval of_time, struct interval of_baseline);

#endif

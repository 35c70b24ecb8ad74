/*
 * The hardware's limit, or roofline: the least time in which a device can do a problem's
 * work, and what follows for a time that comes near it or below it. Pure functions.
 *
 * The work is what a spec says: what an honest submission of the usual kind moves and
 * computes. A time below the limit may still be honest. So there is a floor, too, and
 * only a time below the floor is impossible:
 * - Outputs may stay in the last-level cache when a call ends. The floor leaves out as
 *   many of their bytes as the cache holds. (Inputs are cold, trial.c: their bytes come
 *   from memory.)
 * - A spec may count bytes twice because submissions read them twice, but they may be
 * kept on the chip. The floor counts each buffer once in each direction.
 * - A submission may use the memory better than our calibration does. An H200 was read at
 *   4.3 TB/s where it measured 4.0. So the floor takes what the memory's pins carry.
 * - Operations of a wide type can be done by tensor cores of a narrow one, and some
 *   algorithms need fewer operations (Strassen's product, convolution by transforms). The
 *   floor takes twice the rate of the unit or of dense fp16, whichever is larger.
 *
 * Several GPUs have as many times the rates and caches, since the work may be spread
 * evenly.
 */
#ifndef ARBITER_MEASURING_ROOFLINE_H
#define ARBITER_MEASURING_ROOFLINE_H

#include "device/rates.h"

struct work {
    double bytes, flops;
    double output_bytes; /* the part of `bytes` that is written */
    double buffer_bytes; /* each buffer once in each direction: inout counts twice */
    const char *unit;    /* that does the flops; NULL: the spec does not say */
    int gpus;            /* the work is spread over so many; 0: 1 */
};

struct limit {
    double ns;       /* 0: not known */
    double floor_ns; /* no submission can be faster; <= ns */
    const char *by;  /* "memory" or the work's unit */
};

struct limit limit_of(const struct device_rates *rates, const struct work *work);

enum limit_finding {
    LIMIT_FAR,  /* the time is far above the limit, or the limit is not known */
    LIMIT_NEAR, /* the median is less than 5% above it, or below: a person should look */
    LIMIT_BEATEN, /* the whole 95% interval is below the floor: the work was not done */
};

enum limit_finding limit_judge(const struct limit *limit, double median_ns,
                               double high_ns);

#endif

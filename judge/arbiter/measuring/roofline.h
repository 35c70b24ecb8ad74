/*
 * The hardware's limit: the least time in which a device can do a problem's work, and
 * what follows for a time that comes near or below it. Pure functions.
 *
 * The work is what a spec says: what an honest program of the usual kind moves and
 * computes. What is below that may still be honest, so there is a floor, too, and only
 * what is below the floor is impossible:
 * - outputs may stay in the last-level cache when a call ends, as many of their bytes as
 *   it holds (inputs are cold, trial.c: their bytes come from memory);
 * - what a spec counts twice because programs read it twice may be kept on the chip: the
 *   floor counts each buffer once in each direction;
 * - a program may use the memory better than our calibration does: an H200 has been read
 *   at 4.3 TB/s where it measured 4.0, so the floor takes what the memory's pins carry;
 * - operations of a wide type can be split among tensor cores of a narrow one, and some
 *   algorithms need fewer operations (Strassen's product, convolution by transforms): the
 *   floor takes twice the rate of the unit or of dense fp16, whichever is larger.
 * Several GPUs have so many times the rates and caches: the work may be spread evenly.
 */
#ifndef ARBITER_MEASURING_ROOFLINE_H
#define ARBITER_MEASURING_ROOFLINE_H

#include "device/rates.h"

struct work {
    double bytes, flops;
    double output_bytes; /* of bytes, those written */
    double buffer_bytes; /* in, out, and inout twice: each buffer once a direction */
    const char *unit;    /* of flops; NULL: not said */
    int gpus;            /* that the work is spread over; 0: 1 */
};

struct limit {
    double ns;       /* 0: not known */
    double floor_ns; /* what no program can be faster than; <= ns */
    const char *by;  /* "memory" or the work's unit */
};

struct limit limit_of(const struct device_rates *rates, const struct work *work);

enum limit_finding {
    LIMIT_FAR,    /* or not known */
    LIMIT_NEAR,   /* the median is less than 5% above, or below: a person should look */
    LIMIT_BEATEN, /* the whole 95% interval is below the floor: that was not the work */
};

enum limit_finding limit_judge(const struct limit *limit, double median_ns,
                               double high_ns);

#endif

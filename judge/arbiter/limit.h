/*
 * The hardware's limit: the least time in which a device can do a problem's work, and
 * what follows for a time that comes near or below it. Pure functions.
 *
 * The work is what a spec says: the least that an honest program must move and compute.
 * Inputs are cold (trial.c), so their bytes come from memory. Outputs may stay in the
 * last-level cache when a call ends, as many of their bytes as it holds: so there is a
 * floor, too, which does not count those, and only what is below the floor is impossible.
 */
#ifndef ARBITER_LIMIT_H
#define ARBITER_LIMIT_H

#include "device/rates.h"

struct work {
    double bytes, flops;
    double output_bytes; /* of bytes, those written */
    const char *unit;    /* of flops; NULL: not said */
};

struct limit {
    double ns;       /* 0: not known */
    double floor_ns; /* the same without outputs that a cache may keep; <= ns */
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

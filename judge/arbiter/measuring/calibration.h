/*
 * Is the GPU as fast as it usually is? Before and after the timed calls its rates are
 * measured (device_rates). They are compared with the medians of earlier judgements,
 * which are kept for each GPU in HOME/calibration/UUID.json. All functions but load and
 * save are pure.
 */
#ifndef ARBITER_MEASURING_CALIBRATION_H
#define ARBITER_MEASURING_CALIBRATION_H

#include "base/report.h"
#include "device/rates.h"

#include <stdbool.h>

#define CALIBRATION_KEPT 64   /* measurements that the medians are of: the latest */
#define CALIBRATION_TRUSTED 6 /* with fewer there is nothing to compare with */
#define CALIBRATION_OFF                                                                  \
    0.02 /* a larger difference, relative to the median, is unusual                      \
          */

struct calibration {
    double copy_bytes_per_ns, read_bytes_per_ns, fp32_per_ns;
};

struct calibration_history {
    int count;
    struct calibration entry[CALIBRATION_KEPT]; /* oldest first */
};

struct calibration calibration_of(const struct device_rates *rates);

/* Appends an entry, and drops the oldest one if there would be too many. */
void calibration_add(struct calibration_history *h, const struct calibration *c);

/* Says how the GPU is not as usual: "its copy bandwidth was 5.1% below the usual 4100
 * GB/s". The caller frees. NULL: it is as usual, or too little is known yet. */
char *calibration_off(const struct calibration_history *h, const struct calibration *c);

/* Raises every rate to the best one of the history. The roofline is what the hardware can
 * do, not what it did while it was slow. */
void calibration_best(const struct calibration_history *h, struct device_rates *rates);

/* Reads a history. A file that is missing or damaged gives an empty one; *r is filled if
 * it is damaged. */
void calibration_load(const char *path, struct calibration_history *h, struct report *r);
int calibration_save(const char *path, const struct calibration_history *h,
                     struct report *r);

#endif

/*
 * Is the card as fast as it usually is? Before and after the timed calls its rates are
 * measured (device_rates) and compared with the medians of earlier judgements, which are
 * kept per card in HOME/calibration/UUID.json. All but load and save are pure functions.
 */
#ifndef ARBITER_MEASURING_CALIBRATION_H
#define ARBITER_MEASURING_CALIBRATION_H

#include "base/report.h"
#include "device/rates.h"

#include <stdbool.h>

#define CALIBRATION_KEPT 64   /* the latest measurements: the window of the medians */
#define CALIBRATION_TRUSTED 6 /* as many must be there to compare with */
#define CALIBRATION_OFF 0.02  /* relative to the median */

struct calibration {
    double copy_bytes_per_ns, read_bytes_per_ns, fp32_per_ns;
};

struct calibration_history {
    int count;
    struct calibration entry[CALIBRATION_KEPT]; /* oldest first */
};

struct calibration calibration_of(const struct device_rates *rates);

/* Appends; the oldest goes where there are too many. */
void calibration_add(struct calibration_history *h, const struct calibration *c);

/* NULL: as usual, or not enough is known yet. Else "its copy bandwidth was 5.1% below the
 * usual 4100 GB/s"; the caller frees. */
char *calibration_off(const struct calibration_history *h, const struct calibration *c);

/* Sets every rate to the best one of the window: the hardware's limit is what it can do,
 * not what it did while it was slow. */
void calibration_best(const struct calibration_history *h, struct device_rates *rates);

/* A file that is not there, or damaged, is an empty history; *r is filled if damaged. */
void calibration_load(const char *path, struct calibration_history *h, struct report *r);
int calibration_save(const char *path, const struct calibration_history *h,
                     struct report *r);

#endif

/*
 * Under which conditions the timed calls of a judgement on a GPU were made: calibrations
 * before and after, and the card's clocks, temperature, power, throttle reasons and bytes
 * on its bus at every sample. Kept with the result as one JSON object:
 *
 *     {"gpu": "GPU-...", "compared_with": 12,
 *      "before": {"copy_gbs", "read_gbs", "fp32_tflops", "seconds"}, "after": the same,
 *      "null_samples_ns": [the empty solve()'s intervals],
 *      "copied": "behind" the work or "after" it (arbiter/calling/release.h),
 *      "seconds": {"prepare", "tests", "empty", "timed": what these phases took,
 *                  "uncounted": of "empty", what calls took that do not count},
 *      "sm_mhz": [a number or null per sample], "memory_mhz", "temperature_c", "power_w",
 *      "throttle": the same,
 *      "bus_free": bytes (arbiter/measuring/bus_watch.h), "bus_bytes": as sm_mhz}
 *
 * What cannot be measured is logged and absent; nothing here fails a judgement.
 */
#ifndef ARBITER_MEASURING_CONDITIONS_H
#define ARBITER_MEASURING_CONDITIONS_H

#include "device/device.h"
#include "record/job.h"

struct conditions;

/* Calibrates, while nothing of the submission is loaded. home: where the history is; it
 * must live as long.
 * NULL: the device cannot be calibrated. */
struct conditions *conditions_begin(struct device *d, const char *home);

/* The samples begin (again). Keeps the empty solve()'s intervals that are subtracted from
 * them, how outputs are copied, and how many bytes on the bus are free (< 0: they are not
 * watched); forgets earlier samples' states. c may be NULL. */
void conditions_begin_samples(struct conditions *c, const double *null_ns, int n,
                              bool behind, double bus_free);

/* After each sample. bus_bytes: beyond an empty call's; < 0: not known. c may be NULL. */
void conditions_sample(struct conditions *c, double bus_bytes);

/* What a phase of the judgement took; name: a literal. c may be NULL. */
void conditions_seconds(struct conditions *c, const char *name, double seconds);

/* Calibrates again, when the submission's process is gone; fills out->conditions, and
 * *rates with the best that this card has been measured at. Returns NULL, or a sentence
 * that says how the card was not as usual; the caller frees. */
char *conditions_end(struct conditions *c, struct timing *out,
                     struct device_rates *rates);

void conditions_free(struct conditions *c); /* also NULL */

#endif

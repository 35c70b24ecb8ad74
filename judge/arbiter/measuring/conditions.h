/*
 * The conditions under which the timed calls of a judgement on a GPU were made. These are
 * the calibrations before and after. For every sample they are the GPU's clocks,
 * temperature, power, throttle reasons and the bytes on its bus. They are kept with the
 * result as one JSON object:
 *
 *     {"gpu": "GPU-...", "compared_with": 12,
 *      "before": {"copy_gbs", "read_gbs", "fp32_tflops", "seconds"}, "after": the same,
 *      "null_samples_ns": [the empty calls' intervals],
 *      "copied": "behind" the work or "after" DONE (arbiter/calling/release.h),
 *      "seconds": {"prepare", "tests", "empty", "timed": what these phases took,
 *                  "uncounted": what calls took that do not count, of "empty"},
 *      "steps": {"reference", "arm", "fill", "run", "check": what the steps of the
 *                submission's calls took together, of "timed" (judging/trial.h),
 *                "state": what reading the GPU's state between them took},
 *      "sm_mhz": [a number or null for each sample], "memory_mhz", "temperature_c",
 *      "power_w", "throttle": the same,
 *      "bus_free": bytes (arbiter/measuring/bus_watch.h), "bus_bytes": as sm_mhz}
 *
 * What cannot be measured is logged and absent. Nothing here fails a judgement.
 */
#ifndef ARBITER_MEASURING_CONDITIONS_H
#define ARBITER_MEASURING_CONDITIONS_H

#include "device/device.h"
#include "record/job.h"

struct conditions;

/* Calibrates, while nothing of the submission is loaded. home is the folder of the
 * history, and must outlive the conditions. NULL: the device cannot be calibrated. */
struct conditions *conditions_begin(struct device *d, const char *home);

/* The samples begin, perhaps anew: forgets earlier samples. null_ns are the n intervals
 * of empty calls. behind says how outputs are copied. bus_free bytes on the bus are free;
 * < 0: they are not watched. c may be NULL. */
void conditions_begin_samples(struct conditions *c, const double *null_ns, int n,
                              bool behind, double bus_free);

/* To be called after each sample. bus_bytes are the bytes beyond an empty call's; < 0:
 * not known. c may be NULL. */
void conditions_sample(struct conditions *c, double bus_bytes);

/* Notes what a phase of the judgement took. name is a literal. c may be NULL. */
void conditions_seconds(struct conditions *c, const char *name, double seconds);

/* The same of a step of the timed calls, all of them together. */
void conditions_step(struct conditions *c, const char *name, double seconds);

/* Calibrates again, after the submission's process has ended. Fills out->conditions, and
 * *rates with the best rates that were ever measured on this GPU. Returns NULL, or a
 * sentence that says how the GPU was not as usual, which the caller frees. */
char *conditions_end(struct conditions *c, struct timing *out,
                     struct device_rates *rates);

void conditions_free(struct conditions *c); /* also NULL */

#endif

/*
 * Calibrations of GPUs over the days. Each judgement on a GPU measures its rates before
 * and after the timed calls (arbiter/measuring/calibration.h), and they come with its
 * result. Here each GPU has a row for each day of UTC, with what was measured on it. Many
 * days are read as fast after a million judgements as after ten.
 *
 * The rows stay when a submission is removed or judged again: they tell of the GPU.
 */
#ifndef RECORD_CALIBRATIONS_H
#define RECORD_CALIBRATIONS_H

#include "base/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

#define CALIBRATION_DAY_MS INT64_C(86400000)
#define CALIBRATION_DAYS_MAX 365 /* that are read at once */

/* What is measured, by the names of `conditions`: bytes copied and read, 10^9 a second,
 * and fp32 operations, 10^12 a second. */
#define CALIBRATION_FIGURES(X)                                                           \
    X(COPY, "copy_gbs")                                                                  \
    X(READ, "read_gbs")                                                                  \
    X(FP32, "fp32_tflops")

enum calibration_figure {
#define X(name, text) CALIBRATION_##name,
    CALIBRATION_FIGURES(X)
#undef X
        CALIBRATION_COUNT
};

struct calibration_day {
    int64_t day;   /* since 1970-01-01, in UTC */
    int64_t count; /* how often it was measured; at least 1 */
    struct calibration_range {
        double mean, low, high;
    } figure[CALIBRATION_COUNT];
};

struct calibrated_gpu {
    char *gpu;                   /* its UUID */
    char *board, *device;        /* as it was called last */
    char *node;                  /* of the worker; "": the judge's own machine */
    int64_t measured_ms;         /* last */
    struct calibration_day *day; /* the oldest first */
    size_t count;
};

void calibrated_gpu_free(struct calibrated_gpu *g);

/* The next GPU in the order of UUIDs, behind `after` ("": the first), with its days from
 * `first` on, at most CALIBRATION_DAYS_MAX. It may have none. *found is false behind the
 * last; then *out is not set. */
int store_next_calibrated(struct store *s, const char *after, int64_t first, bool *found,
                          struct calibrated_gpu *out, struct report *r);

#endif

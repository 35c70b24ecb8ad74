/*
 * Baselines: what cuBLAS, CUB or PyTorch took for a problem's benchmark, measured
 * elsewhere. They are in baselines.json of a problem's folder, which need not be there
 * (docs/problem-format.md), and are lines on its boards. They change no verdict and no
 * time, and are no part of a problem's meaning.
 */
#ifndef PROBLEM_BASELINES_H
#define PROBLEM_BASELINES_H

#include "problem/problem.h"
#include "problem/problem_check.h"

#include <stddef.h>

#define BASELINES_FILE "baselines.json"

/* The texts belong to the list. */
struct baseline {
    const char *name;     /* "cuBLAS" */
    const char *about;    /* how it was called; "" where nothing is said */
    const char *board;    /* the kind of device, as a board is called: "NVIDIA H200" */
    const char *sizes;    /* as problem_sizes_text() writes them */
    const char *versions; /* of what was measured */
    const char *date;     /* "2026-11-22" */
    const char *source;   /* where the figure is told */
    double time_ns;
};

struct baselines {
    struct baseline *row; /* the fastest first */
    size_t count;
    struct cJSON *json; /* has the texts */
};

/* Reads the file of a problem's folder, and reports everything that is wrong with it.
 * Returns the number of errors; then, and where there is no file, the list is empty. The
 * caller calls baselines_free(). */
int baselines_read(const struct problem *p, problem_error_fn *on_error, void *context,
                   struct baselines *out);
void baselines_free(struct baselines *list);

#endif

/*
 * What a file of graded lines comes to (docs/grading.md): pass@k, fast_p and medians, of
 * all lines and by problem, difficulty and tag. Texts are the lines' own, which are
 * strangers': each way of showing them escapes them.
 */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include "base/report.h"

#include <cjson/cJSON.h>
#include <stddef.h>

/* A line that was judged. Those that are wrong, cancelled, or failed by the judge's fault
 * say nothing about the source. */
struct sample {
    char *problem, *difficulty, *verdict, *stage, *board;
    cJSON *tags;       /* its own and its problem's */
    int passed;        /* 1: accepted by a device; else 0 */
    double time_ns;    /* 0: none */
    double baseline;   /* 1: the chosen baseline is there; else 0 */
    double ratio, low; /* to that baseline, and the end of the interval; 0: none */
    cJSON *baselines;  /* until one is chosen */
};

struct figures {
    struct sample *sample;
    size_t count, room;
    long errors, failures, cached, disagreements;
    char *baseline; /* to which times are compared; "": none */
    char *board;    /* of which times are told; "": none */
};

/* The values of k and of p. */
extern const long FIGURES_K[];
extern const double FIGURES_P[];
enum { FIGURES_K_COUNT = 6, FIGURES_P_COUNT = 5 };

/* Reads a file of `grade`. `baseline` is the one that is chosen; NULL: the one that most
 * lines have. The caller calls figures_free(), also after a failure. */
int figures_read(const char *path, const char *baseline, struct figures *out,
                 struct report *r);
void figures_free(struct figures *f);

/* One object for all lines, and for each problem, difficulty and tag: "group" and "name",
 * and the members of figures_keys(), null where there is nothing to say. */
cJSON *figures_rows(const struct figures *f);

/* The names of the members, which NULL ends. */
const char *const *figures_keys(void);

/* How many lines there are of each verdict and stage: {"verdict", "stage", "lines"}. */
cJSON *figures_verdicts(const struct figures *f);

/* The share of the lines with the baseline that passed and are more than p times as fast;
 * `surely`: also by the end of the interval. NaN where none has it. */
double figures_fast(const struct figures *f, double p, int surely);

/* One page, which needs nothing from elsewhere. */
char *figures_html(const struct figures *f, const char *title);

#endif

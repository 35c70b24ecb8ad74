/*
 * What became of the submission. Failures of ours are not outcomes: they are -1 and a
 * struct report, and end in the verdict judge_error.
 */
#ifndef ARBITER_JUDGING_OUTCOME_H
#define ARBITER_JUDGING_OUTCOME_H

#include "record/verdict.h"

#include <stdbool.h>

struct outcome {
    enum verdict verdict; /* VERDICT_ACCEPTED: nothing was wrong so far */
    char *message;        /* NULL, or what a user reads; owned */
    bool may_retry;       /* see record/job.h */
    /* The same as data (findings.h), or NULL; owned. */
    struct cJSON *failure, *diagnostics;
};

/* Sets verdict and message, unless an outcome other than accepted is there already. */
void outcome_set(struct outcome *o, enum verdict v, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Forgets what the outcome tells as data. */
void outcome_forget_findings(struct outcome *o);
void outcome_free(struct outcome *o);

#endif

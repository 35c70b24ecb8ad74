/*
 * How far a submission is, on standard error: one line that is rewritten on a terminal,
 * one line per stage otherwise, nothing where only the result was asked for.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct progress {
    const struct terminal *terminal;
    long id; /* of the submission */
    bool quiet;
    char stage[32]; /* the last that was shown */
};

/* With `json` nothing is shown unless somebody watches the terminal. */
void progress_begin(struct progress *p, const struct terminal *t, bool json, long id);
void progress_event(struct progress *p, const char *name, const cJSON *event);
void progress_waiting(struct progress *p); /* the judge went away and is expected back */
void progress_end(struct progress *p);     /* leaves a clean line */

#endif

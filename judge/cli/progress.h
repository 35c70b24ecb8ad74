/*
 * Shows on standard error how far a submission is. On a terminal that is one line, which
 * is rewritten; elsewhere one line for each stage. Where only the result was asked for,
 * nothing is shown.
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
    char stage[32];   /* the last one that was shown */
    char reason[256]; /* why it waits, as it was shown last; "": it was not */
};

/* With `json` nothing is shown, except on a terminal. */
void progress_begin(struct progress *p, const struct terminal *t, bool json, long id);
void progress_event(struct progress *p, const char *name, const cJSON *event);
/* Shows that the judge cannot be reached and is expected back. */
void progress_waiting(struct progress *p);
/* Erases the line on a terminal. */
void progress_end(struct progress *p);

#endif

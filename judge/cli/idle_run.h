/* Waits for a run of what the judge does in idle time: a rejudgement, or the house's. */
#ifndef CLI_IDLE_RUN_H
#define CLI_IDLE_RUN_H

#include "cli/cli.h"

#include <cjson/cJSON.h>

struct idle_run {
    const char *path;     /* that tells the last run of this kind */
    const char *replaced; /* the sentence where another run has begun meanwhile */
    /* How far a run is, as text that the caller frees. */
    char *(*progress)(const cJSON *run);
};

/* Asks until a run has ended, and shows how far it is. *run becomes what it is then, or
 * NULL. Returns an exit status, with a report in cli->report where it is not 0. */
int idle_run_wait(struct cli *cli, const struct idle_run *kind, cJSON **run);

#endif

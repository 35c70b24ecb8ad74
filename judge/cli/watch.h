/*
 * Waiting for a submission. The daemon may be killed and come back meanwhile: a
 * submission that it has accepted is never lost, so the wait goes on through that. The
 * user may stop waiting: the submission goes on.
 */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "cli/cli.h"

#include <cjson/cJSON.h>

/* Returns 0 with the finished submission, which the caller deletes; else the exit status,
 * with a report that says what becomes of the submission. */
int watch_submission(struct cli *cli, long id, cJSON **out);

#endif

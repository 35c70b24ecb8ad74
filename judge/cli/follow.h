/*
 * Waits for a submission. The daemon may be killed and come back meanwhile. The wait goes
 * on through that, because a submission that was accepted is never lost. If the user
 * stops waiting, the submission goes on.
 */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "cli/cli.h"

#include <cjson/cJSON.h>

/* Returns 0 and the finished submission, which the caller deletes. Otherwise it returns
 * the exit status and a report that says what becomes of the submission. */
int follow_submission(struct cli *cli, long id, cJSON **out);

#endif

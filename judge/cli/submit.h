/* What the verbs `submit` and `status --wait` share. */
#ifndef CLI_SUBMIT_H
#define CLI_SUBMIT_H

#include "cli/cli.h"

/* Waits for a submission, shows its result, and returns the exit status of its
 * verdict. */
int submit_wait(struct cli *cli, long id);

#endif

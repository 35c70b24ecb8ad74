/* The words that follow `warpjudge problem`. */
#ifndef CLI_PROBLEM_H
#define CLI_PROBLEM_H

#include "cli/cli.h"

/* Returns the exit status. */
int problem_new(struct cli *cli);
int problem_preview(struct cli *cli);

#endif

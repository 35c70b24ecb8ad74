/* The words of `warpjudge problem`. */
#ifndef CLI_PROBLEM_H
#define CLI_PROBLEM_H

#include "cli/cli.h"

int problem_new(struct cli *cli); /* the exit status */

#endif

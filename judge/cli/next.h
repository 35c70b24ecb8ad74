/* What to do next, where another verb tells it. */
#ifndef CLI_NEXT_H
#define CLI_NEXT_H

#include "cli/cli.h"

/* Prints a line that names the next problem of a user, after a submission was accepted.
 * It is an extra: a judge that does not answer, or is too old to know, adds nothing. */
void next_print_line(struct cli *cli, const char *user);

#endif

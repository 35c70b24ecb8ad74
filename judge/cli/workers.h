/* The workers as `status` shows them to the staff. */
#ifndef CLI_WORKERS_H
#define CLI_WORKERS_H

#include "cli/cli.h"

/* Prints the workers, and below the table what their machines lack. It prints nothing to
 * who may not see them, or where there are none. */
void workers_print(struct cli *cli, const struct terminal *t);

#endif

/* How fast each GPU was in the last days, as `status` shows it to the staff. */
#ifndef CLI_DRIFT_H
#define CLI_DRIFT_H

#include "cli/cli.h"

/* Prints a row for each GPU that was measured in the last 30 days, with the node that has
 * it. It prints nothing to who may not see them, or where there are none. */
void drift_print(struct cli *cli, const struct terminal *t);

#endif

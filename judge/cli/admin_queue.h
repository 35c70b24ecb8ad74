/* `admin queue`, `admin cancel` and `admin delete-submission`. Each returns the exit
 * status. */
#ifndef CLI_ADMIN_QUEUE_H
#define CLI_ADMIN_QUEUE_H

#include "cli/cli.h"

int admin_queue(struct cli *cli);
int admin_cancel(struct cli *cli, const char *number);
int admin_delete_submission(struct cli *cli, const char *number);

#endif

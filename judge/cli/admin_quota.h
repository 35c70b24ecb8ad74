/* `admin quota NAME [WHAT=N...]`: shows what an account has used of its quotas, or sets
 * its own. Returns the exit status. */
#ifndef CLI_ADMIN_QUOTA_H
#define CLI_ADMIN_QUOTA_H

#include "cli/cli.h"

int admin_quota(struct cli *cli, const char *name, const char *const *words, int count);

#endif

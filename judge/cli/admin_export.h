/* `admin export`: the grades of a group, or of everybody. */
#ifndef CLI_ADMIN_EXPORT_H
#define CLI_ADMIN_EXPORT_H

#include "cli/cli.h"

/* Returns the exit status. */
int admin_export(struct cli *cli);

#endif

/* The words of `warpjudge group` about assignments. */
#ifndef CLI_GROUP_ASSIGN_H
#define CLI_GROUP_ASSIGN_H

#include "cli/cli.h"

/* Does what the words say, after cli_connect(). -1: they say nothing that is known. */
int group_assign_do(struct cli *cli, const char *const *words, int count);

#endif

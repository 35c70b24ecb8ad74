/* `warpjudge admin rejudge`. */
#ifndef CLI_ADMIN_REJUDGE_H
#define CLI_ADMIN_REJUDGE_H

#include "cli/cli.h"

/* Has submissions judged again, waits, and prints what changed or would change. `words`
 * are what follows `rejudge`: numbers of submissions, or "show" or "cancel", or none
 * where flags choose. Returns the exit status. */
int admin_rejudge(struct cli *cli, const char *const *words, int count);

#endif

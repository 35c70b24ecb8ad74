/* `admin announce`, `admin announcements` and `admin unannounce`. Each returns the exit
 * status. */
#ifndef CLI_ADMIN_ANNOUNCE_H
#define CLI_ADMIN_ANNOUNCE_H

#include "cli/cli.h"

/* The words of the text, which are told with a space between each two. */
int admin_announce(struct cli *cli, const char *const *words, int count);
int admin_announcements(struct cli *cli);
int admin_unannounce(struct cli *cli, const char *number);

#endif

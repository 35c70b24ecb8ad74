/* What an admin tells everybody. */
#ifndef CLI_ANNOUNCEMENTS_H
#define CLI_ANNOUNCEMENTS_H

#include "cli/cli.h"

enum announcements_shown {
    ANNOUNCEMENTS_ALL,
    ANNOUNCEMENTS_NEW, /* those of the last 24 hours */
};

/* Asks the judge for its announcements, and prints them, each as one paragraph. Where
 * there are none, or the judge does not say, it prints nothing: a judge from before does
 * not know the call, and whoever asks has something else to do. */
void announcements_print(struct cli *cli, const struct terminal *t,
                         enum announcements_shown shown);

#endif

/* In the command line alone (`make client`): no judge can be started, and the program
 * does not ask where its own file is, because nothing lies beside it. */
#include "base/own_program.h"
#include "cli/daemon_start.h"

#include "base/buf.h"

int
daemon_start(const struct config *c, struct report *r)
{
    return report_fail(r,
                       "no judge answers at %s, and this program is the command line "
                       "alone: `warpjudge login https://ADDRESS` or WARPJUDGE_URL says "
                       "where the judge is",
                       c->socket);
}

const char *
own_program_name(void)
{
    return "warpjudge";
}

char *
own_program_path(struct report *r)
{
    (void)r;
    return xstrdup("/usr/local/bin/warpjudge");
}

/* The verbs that need the judge's programs, in the command line alone (`make client`):
 * each says so in one sentence. */
#include "cli/backup.h"
#include "cli/cli.h"

static int
fail_absent(struct cli *cli, const char *verb)
{
    report_fail(&cli->report,
                "`warpjudge %s` works on the judge's own machine only: this program is "
                "the command line alone",
                verb);
    return EXIT_BAD_INPUT;
}

static int
absent_verb(struct cli *cli)
{
    return fail_absent(cli, cli->args.positional[0]);
}

static const struct verb_flag flags[] = {{0, NULL}};

#define VERBS(X)                                                                         \
    X(serve) X(rerun) X(problem) X(emu) X(doctor) X(worker) X(grade) X(verify) X(key)
#define X(id)                                                                            \
    const struct verb verb_##id = {.name = #id,                                          \
                                   .arguments = "",                                      \
                                   .summary = "not in this program",                     \
                                   .about = "",                                          \
                                   .example = "",                                        \
                                   .flags = flags,                                       \
                                   .kind = VERB_ABSENT,                                  \
                                   .run = absent_verb};
VERBS(X)
#undef X

int
backup_write(struct cli *cli, const char *file)
{
    (void)file;
    return fail_absent(cli, "admin backup");
}

int
backup_restore(struct cli *cli, const char *file)
{
    (void)file;
    return fail_absent(cli, "admin restore");
}

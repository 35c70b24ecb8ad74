/* `serve`: this process becomes the daemon, in the foreground. */
#include "base/buf.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSTEM_CONFIG "/etc/warpjudge/warpjudge.conf"

/* The flags that are passed on. The daemon has them under the same names. */
static const enum flag passed[] = {
#define X(name, ...) FLAG_##name,
    SERVE_OPTIONS(X)
#undef X
};

/* The config file: what --config says, or the one that is in the home, or the system's.
 * The caller frees. NULL: none. */
static char *
serve_config(const struct cli *cli)
{
    const char *said = cli->args.flag[FLAG_CONFIG];
    char *own;

    if (said != NULL)
        return strcmp(said, "none") == 0 ? NULL : xstrdup(said);
    own = xasprintf("%s/warpjudge.conf", cli->config.home);
    if (access(own, F_OK) == 0)
        return own;
    free(own);
    return access(SYSTEM_CONFIG, F_OK) == 0 ? xstrdup(SYSTEM_CONFIG) : NULL;
}

static int
serve_verb(struct cli *cli)
{
    enum { PASSED = sizeof passed / sizeof *passed };
    char *words[1 + 2 * (PASSED + 1) + 1] = {0};
    long seconds;
    char *program, *config;
    int n = 0, status = cli_configure(cli);

    if (status != 0)
        return status;
    if (cli->args.flag[FLAG_IDLE_EXIT] != NULL &&
        args_number(&cli->args, FLAG_IDLE_EXIT, 10000000, &seconds, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    program = config_libexec(&cli->config, "warpjudged");
    words[n++] = xstrdup(program);
    for (size_t i = 0; i < PASSED; i++) {
        const char *value = cli->args.flag[passed[i]];

        if (value == NULL)
            continue;
        words[n++] = xasprintf("--%s", flag_name(passed[i]));
        if (flag_value_name(passed[i]) != NULL)
            words[n++] = xstrdup(value);
    }
    config = serve_config(cli);
    if (config != NULL) {
        words[n++] = xstrdup("--config");
        words[n++] = config;
    }
    execv(program, words);
    report_errno(&cli->report, "%s cannot be run", program);
    while (n > 0)
        free(words[--n]);
    free(program);
    return EXIT_UNREACHABLE;
}

static const struct verb_flag flags[] = {
    {FLAG_CONFIG, "read options from this file; none: from no file"},
#define X(name, text, letter, value, about) {FLAG_##name, about},
    SERVE_OPTIONS(X)
#undef X
        {0, NULL},
};

const struct verb verb_serve = {
    .name = "serve",
    .arguments = "",
    .summary = "run the judge in the foreground",
    .about =
        "Runs the daemon that judges, until Ctrl-C. It is optional: the other commands\n"
        "start one where none runs, which ends after ten idle minutes. It listens on\n"
        "warpjudge.sock beside leaderboard.db, and with --listen on TCP. Who comes over\n"
        "TCP without an account may look, but not submit. An address that other "
        "machines\n"
        "reach needs accounts (--registration) or --open. --registration closed lets "
        "the\n"
        "first admin join and nobody else, invitation whom an admin invites, and open\n"
        "everybody.\n"
        "\n"
        "Each option may stand in a config file, as `quota = 60` or `open = yes`: the "
        "one "
        "that\n"
        "--config names, or warpjudge.conf in the home, or "
        "/etc/warpjudge/warpjudge.conf.\n"
        "The command line wins.",
    .example = "  warpjudge serve\n"
               "  warpjudge serve --listen 0.0.0.0:8080 --registration invitation\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .run = serve_verb,
};

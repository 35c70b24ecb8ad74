/* `serve`: this process becomes the daemon, in the foreground. */
#include "base/buf.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The flags that are passed on. The daemon has them under the same names
 * (judge/daemon/main.c). */
static const enum flag passed[] = {
    FLAG_LISTEN,       FLAG_HOST_NAME,   FLAG_REGISTRATION,
    FLAG_SOURCES,      FLAG_QUOTA,       FLAG_QUOTA_IN_FLIGHT,
    FLAG_QUOTA_DEVICE, FLAG_PROXY,       FLAG_PROXY_HEADER,
    FLAG_OPEN,         FLAG_LOCAL_USERS, FLAG_IDLE_EXIT,
    FLAG_DRAIN,        FLAG_EMU,         FLAG_KEEP_JOBS,
    FLAG_SEED,         FLAG_INSECURE};

static int
serve_verb(struct cli *cli)
{
    enum { PASSED = sizeof passed / sizeof *passed };
    char *words[1 + 2 * PASSED + 1] = {0};
    long seconds;
    char *program;
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
    execv(program, words);
    report_errno(&cli->report, "%s cannot be run", program);
    while (n > 0)
        free(words[--n]);
    free(program);
    return EXIT_UNREACHABLE;
}

static const struct verb_flag flags[] = {
    {FLAG_LISTEN, "also answer on TCP; port 0 takes a free one and prints it"},
    {FLAG_HOST_NAME, "answer to these host names, too, as behind a proxy"},
    {FLAG_REGISTRATION, "have accounts, for: closed, invitation or open"},
    {FLAG_SOURCES, "others see sources: owner (never), solved or public"},
    {FLAG_QUOTA, "how many submissions a member may make in an hour"},
    {FLAG_QUOTA_IN_FLIGHT, "how many of a member's may be not done yet"},
    {FLAG_QUOTA_DEVICE, "how long a member may use devices in 24 hours"},
    {FLAG_PROXY, "believe reverse proxies there when they name the user"},
    {FLAG_PROXY_HEADER, "the header in which they name the user"},
    {FLAG_OPEN, "over TCP everybody may submit, and see every source"},
    {FLAG_LOCAL_USERS, "all logins of this machine may use the socket"},
    {FLAG_EMU, "judge so many on emu at a time; otherwise one for each two CPUs"},
    {FLAG_DRAIN, "a stop waits so long for what is judged; 60 unless said otherwise"},
    {FLAG_IDLE_EXIT, "end after so long without a request and with an empty queue"},
    {FLAG_KEEP_JOBS, "keep the folders of finished judgements, to look into them"},
    {FLAG_SEED, "judge everything with these inputs (64 hexadecimal digits), for tests"},
    {FLAG_INSECURE, "run submissions without a sandbox: only your own"},
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
        "everybody.",
    .example = "  warpjudge serve\n"
               "  warpjudge serve --listen 0.0.0.0:8080 --registration invitation\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .run = serve_verb,
};

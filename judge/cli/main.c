/*
 * warpjudge: each verb sends one request or a few to the daemon. The answer goes to
 * standard output, for a person or with --json for a program. Everything else goes to
 * standard error. Scripts can rely on the exit status (cli/cli.h).
 */
#include "cli/cli.h"
#include "cli/client.h"
#include "problem/names.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
fail_unknown_verb(const char *name, struct report *r)
{
    const char *names[64];
    const char *meant;
    size_t count = 0;

    while (cli_verbs[count] != NULL && count < sizeof names / sizeof *names) {
        names[count] = cli_verbs[count]->name;
        count++;
    }
    meant = nearest_name(name, names, count);
    if (meant != NULL)
        report_fail(r, "there is no verb \"%s\": did you mean `warpjudge %s`?", name,
                    meant);
    else
        report_fail(r, "there is no verb \"%s\": `warpjudge --help` lists them", name);
    return EXIT_BAD_INPUT;
}

/* Checks that the verb takes these flags and this number of arguments. */
static int
check_usage(const struct args *args, const struct verb *verb, struct report *r)
{
    for (int flag = 0; flag < FLAG_COUNT; flag++) {
        const struct verb_flag *f = verb->flags;

        if (args->flag[flag] == NULL)
            continue;
        while (f->about != NULL && f->flag != (enum flag)flag)
            f++;
        if (f->about == NULL)
            return report_fail(r,
                               "`warpjudge %s` takes no --%s: see `warpjudge %s --help`",
                               verb->name, flag_name((enum flag)flag), verb->name);
    }
    if (args->count - 1 < verb->least)
        return report_fail(r, "%s", verb->missing);
    if (args->count - 1 > verb->most)
        return report_fail(r,
                           "`warpjudge %s` does not know what to do with \"%s\": its "
                           "usage is `warpjudge %s %s`",
                           verb->name, args->positional[verb->most + 1], verb->name,
                           verb->arguments);
    return 0;
}

static int
cli_dispatch(struct cli *cli, int argc, char **argv)
{
    struct args *args = &cli->args;
    const struct verb *verb;
    bool help;

    if (args_parse(argc, argv, args, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (args->flag[FLAG_VERSION] != NULL) {
        terminal_print(&cli->out, STYLE_PLAIN, "warpjudge %s\n", WARPJUDGE_VERSION);
        return 0;
    }
    help = args->flag[FLAG_HELP] != NULL;
    if (args->count > 0 && strcmp(args->positional[0], "help") == 0) {
        help = true;
        args_shift(args);
    }
    if (args->count == 0) {
        help_overview(help ? &cli->out : &cli->err);
        return help ? 0 : EXIT_BAD_INPUT;
    }
    verb = cli_verb(args->positional[0]);
    if (verb == NULL)
        return fail_unknown_verb(args->positional[0], &cli->report);
    if (verb->kind == VERB_ABSENT)
        return verb->run(cli);
    if (help) {
        help_verb(&cli->out, verb);
        return 0;
    }
    if (check_usage(args, verb, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    return verb->run(cli);
}

static void
print_report(const struct cli *cli)
{
    struct terminal page;

    terminal_page_begin(&page, &cli->err);
    terminal_print(&page, STYLE_BOLD, "warpjudge: ");
    terminal_print(&page, STYLE_PLAIN, "%s\n", cli->report.text);
    terminal_page_end(&page, &cli->err);
}

int
main(int argc, char **argv)
{
    struct cli cli = {0};
    int status;

    /* Only the locale's encoding is used, so that numbers look the same everywhere. */
    setlocale(LC_CTYPE, "");
    terminal_open(&cli.out, stdout);
    terminal_open(&cli.err, stderr);
    status = cli_dispatch(&cli, argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        report_errno(&cli.report, "the answer cannot be written to standard output");
        status = EXIT_JUDGE_FAILED;
    }
    if (report_is_set(&cli.report))
        print_report(&cli);
    client_close(cli.client);
    free(cli.account);
    config_free(&cli.config);
    args_free(&cli.args);
    return status;
}

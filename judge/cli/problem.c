/* `problem check`: what is wrong with a problem's folder, for its author. */
#include "core/problem.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "core/problem_check.h"

#include <stdlib.h>
#include <string.h>

struct findings {
    const struct terminal *out;
    const char *slug;
};

static void
print_error(void *context, const char *where, const char *sentence)
{
    const struct findings *f = context;

    terminal_print(f->out, STYLE_BOLD, "%s/%s", f->slug, where);
    terminal_print(f->out, STYLE_PLAIN, ": %s\n", sentence);
}

/* Returns the number of errors. */
static int
check_one(struct cli *cli, const char *slug)
{
    struct findings f = {.out = &cli->out, .slug = slug};
    int errors = problem_check(cli->config.problems, slug, print_error, &f);

    if (errors == 0) {
        terminal_print(&cli->out, STYLE_GOOD, "%s", slug);
        terminal_print(&cli->out, STYLE_PLAIN, ": no errors found\n");
    }
    return errors;
}

static int
check_all(struct cli *cli)
{
    char **slugs = NULL;
    int count = 0, errors = 0, broken = 0;
    struct text32 text;

    if (problem_list(cli->config.problems, &slugs, &count, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    for (int i = 0; i < count; i++) {
        int found = check_one(cli, slugs[i]);

        errors += found;
        broken += found != 0;
        free(slugs[i]);
    }
    free(slugs);
    if (count == 0)
        report_fail(&cli->report, "there are no problems in %s", cli->config.problems);
    else if (errors > 0)
        report_fail(&cli->report, "%s in %d of %d problems",
                    format_plural(&text, errors, "error"), broken, count);
    return report_is_set(&cli->report) ? EXIT_BAD_INPUT : EXIT_ACCEPTED;
}

static int
problem(struct cli *cli)
{
    const struct args *args = &cli->args;
    bool all = args->flag[FLAG_ALL] != NULL;
    int status;

    if (strcmp(args->positional[1], "check") != 0) {
        report_fail(&cli->report, "`warpjudge problem` can only check: as in `warpjudge "
                                  "problem check vector-addition`");
        return EXIT_BAD_INPUT;
    }
    if (all ? args->count != 2 : args->count != 3) {
        report_fail(&cli->report, "name one problem to check, or give --all");
        return EXIT_BAD_INPUT;
    }
    status = cli_configure(cli);
    if (status != 0)
        return status;
    if (all)
        return check_all(cli);
    return check_one(cli, args->positional[2]) == 0 ? EXIT_ACCEPTED : EXIT_BAD_INPUT;
}

static const struct verb_flag flags[] = {
    {FLAG_ALL, "every problem there is"},
    {0, NULL},
};

const struct verb verb_problem = {
    .name = "problem",
    .arguments = "check [SLUG]",
    .summary = "check a problem's folder, for its author",
    .about =
        "Reads the folder of a problem and says everything that is wrong with it, each\n"
        "error with its place in problem.json: unknown keys, shapes that do not fit,\n"
        "missing files, a test larger than memory. Nothing is run, and no daemon is\n"
        "needed. docs/problem-format.md explains the format.",
    .example = "  warpjudge problem check vector-addition\n"
               "  warpjudge problem check --all\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .least = 1,
    .most = 2,
    .missing = "say what to do, as in `warpjudge problem check vector-addition`",
    .run = problem,
};

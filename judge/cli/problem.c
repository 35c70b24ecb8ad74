/* `problem`: for authors. What its words do is in files of their own: check.c. */
#include "core/problem.h"
#include "cli/check.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS_MAX 1000
#define JOBS_LIMIT 256

static long
default_jobs(void)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    return cpus > 0 ? cpus : 1;
}

static int
check_all(struct cli *cli, long jobs)
{
    char **slugs = NULL;
    int count = 0, status = EXIT_BAD_INPUT;

    if (problem_list(cli->config.problems, &slugs, &count, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (count == 0)
        report_fail(&cli->report, "there are no problems in %s", cli->config.problems);
    else
        status = check_problems(cli, (const char *const *)slugs, count, jobs);
    for (int i = 0; i < count; i++)
        free(slugs[i]);
    free(slugs);
    return status;
}

static int
check(struct cli *cli)
{
    const struct args *args = &cli->args;
    const bool all = args->flag[FLAG_ALL] != NULL;
    long jobs = default_jobs();
    int status;

    if (all ? args->count != 2 : args->count < 3) {
        report_fail(&cli->report, "name the problems to check, or give --all");
        return EXIT_BAD_INPUT;
    }
    if (args->flag[FLAG_JOBS] != NULL &&
        args_number(args, FLAG_JOBS, JOBS_LIMIT, &jobs, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    status = cli_configure(cli);
    if (status != 0)
        return status;
    if (all)
        return check_all(cli, jobs);
    return check_problems(cli, args->positional + 2, args->count - 2, jobs);
}

static int
problem(struct cli *cli)
{
    if (strcmp(cli->args.positional[1], "check") == 0)
        return check(cli);
    report_fail(&cli->report, "`warpjudge problem` can only check: as in `warpjudge "
                              "problem check vector-addition`");
    return EXIT_BAD_INPUT;
}

static const struct verb_flag flags[] = {
    {FLAG_ALL, "every problem there is"},
    {FLAG_JOBS, "how many at the same time; as many as there are CPUs"},
    {FLAG_JSON, "one JSON object: what is wrong with which problem"},
    {FLAG_INSECURE, "without the sandbox, on machines that allow none"},
    {0, NULL},
};

const struct verb verb_problem = {
    .name = "problem",
    .arguments = "check [SLUG...]",
    .summary = "prove that a problem is sound, for its author",
    .about =
        "Says everything that is wrong with a problem, each thing with its place. Reads\n"
        "its folder, compiles its references, and has them answer every test: twice the\n"
        "same, as the statement's example says, and so that wrong answers fail (zeros, "
        "a\n"
        "constant, an input copied, one element wrong, NaN, fewer bits). reference.cu\n"
        "and all files in solutions/SLUG are judged on emu and must get the verdict "
        "that\n"
        "their headers state. No daemon is needed, no GPU and no network.\n"
        "docs/problem-format.md explains the format.",
    .example = "  warpjudge problem check vector-addition\n"
               "  warpjudge problem check --all -j 4\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .least = 1,
    .most = ARGUMENTS_MAX,
    .missing = "say what to do, as in `warpjudge problem check vector-addition`",
    .run = problem,
};

/* `problem`: the verb for authors. Its words are carried out in check.c, problem_new.c
 * and preview.c. */
#include "problem/problem.h"
#include "cli/check.h"
#include "cli/cli.h"
#include "cli/problem.h"

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
problem_check_verb(struct cli *cli)
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
    if (args->flag[FLAG_FAST] != NULL && args->flag[FLAG_SAMPLE] != NULL) {
        report_fail(&cli->report, "say --fast or --sample, not both");
        return EXIT_BAD_INPUT;
    }
    status = cli_configure(cli);
    if (status != 0)
        return status;
    if (all)
        return check_all(cli, jobs);
    return check_problems(cli, args->positional + 2, args->count - 2, jobs);
}

static int
problem_verb(struct cli *cli)
{
    const struct args *args = &cli->args;

    if (strcmp(args->positional[1], "check") == 0)
        return problem_check_verb(cli);
    if (strcmp(args->positional[1], "new") == 0 && args->count == 3)
        return problem_new(cli);
    if (strcmp(args->positional[1], "preview") == 0 && args->count == 3)
        return problem_preview(cli);
    if (strcmp(args->positional[1], "new") == 0 && args->count == 4 &&
        strchr(args->positional[3], '(') != NULL)
        report_fail(&cli->report,
                    "a signature follows --signature: `warpjudge problem new %s "
                    "--signature '%s'`",
                    args->positional[2], args->positional[3]);
    else if (strcmp(args->positional[1], "new") == 0)
        report_fail(&cli->report,
                    "name one new problem, as in `warpjudge problem new row-scaling`");
    else
        report_fail(&cli->report,
                    "`warpjudge problem` can check, new and preview: as in `warpjudge "
                    "problem check vector-addition`");
    return EXIT_BAD_INPUT;
}

static const struct verb_flag flags[] = {
    {FLAG_ALL, "every problem there is"},
    {FLAG_JOBS, "how many at the same time; as many as there are CPUs"},
    {FLAG_SAMPLE,
     "half of the wrong solutions, no ladders, one file in eight uncontracted"},
    {FLAG_FAST, "right solutions only, no ladders, nothing uncontracted"},
    {FLAG_JSON, "one JSON object: what is wrong with which problem"},
    {FLAG_SIGNATURE, "new: of solve(); sizes may stand in it, as in A[M][N]"},
    {FLAG_TITLE, "new: what people read"},
    {FLAG_DIFFICULTY, "new: easy, medium or hard"},
    {FLAG_INSECURE, "without the sandbox, on machines that allow none"},
    {0, NULL},
};

const struct verb verb_problem = {
    .name = "problem",
    .arguments = "check [SLUG...] | new SLUG | preview SLUG",
    .summary = "write a problem, and prove that it is sound",
    .about =
        "new: writes the folder of a problem from solve()'s signature, for which it "
        "asks\n"
        "on a terminal; what is left to do is the reference and the statement's words.\n"
        "\n"
        "check: says everything that is wrong with a problem, each thing with its place. "
        "Reads\n"
        "its folder, compiles its references, and has them answer every test: twice the\n"
        "same, as the statement's example says, and so that wrong answers fail (zeros, "
        "a\n"
        "constant, an input copied, one element wrong, NaN, fewer bits). reference.cu\n"
        "and all files in solutions/SLUG are judged on emu and must get the verdict "
        "that\n"
        "their headers state; right ones without fused multiply-adds, too. Where the "
        "spec\n"
        "is wrong, nothing runs before it is mended. No daemon is needed, no GPU and no\n"
        "network.\n"
        "\n"
        "preview: opens a page with the statement and what is wrong with the spec, "
        "which\n"
        "follows the files as they change. It needs a judge with pages: `warpjudge "
        "serve\n"
        "--listen 127.0.0.1:8080`. Who has the address sees the preview until that "
        "ends.\n"
        "\n"
        "docs/problem-format.md explains the format.",
    .example = "  warpjudge problem new row-sums --signature \\\n"
               "    'void solve(const float A[M][N], float B[M], int M, int N)'\n"
               "  warpjudge problem check vector-addition\n"
               "  warpjudge problem check --all -j 4\n"
               "  warpjudge problem preview row-sums\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .least = 1,
    .most = ARGUMENTS_MAX,
    .missing = "say what to do, as in `warpjudge problem check vector-addition`",
    .run = problem_verb,
};

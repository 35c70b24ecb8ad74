#include "cli/gradescope.h"

#include "base/buf.h"
#include "base/file.h"
#include "cli/answer.h"
#include "cli/follow.h"
#include "cli/result.h"
#include "cli/source.h"
#include "cli/submit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MOST 100000

int
gradescope_of_flags(const struct cli *cli, struct gradescope *out, struct report *r)
{
    static const char *const VISIBILITIES[] = {"visible", "hidden", "after_due_date",
                                               "after_published"};
    const char *wanted = cli->args.flag[FLAG_VISIBILITY];
    struct gradescope g = {.path = cli->args.flag[FLAG_GRADESCOPE],
                           .points = 100,
                           .visibility = VISIBILITIES[0]};

    if (g.path == NULL)
        return report_fail(r,
                           "--points and --visibility are for --gradescope RESULTS.json");
    if (cli->args.flag[FLAG_JSON] != NULL)
        return report_fail(r, "--gradescope prints nothing, and takes no --json");
    if (cli->args.flag[FLAG_POINTS] != NULL &&
        args_number(&cli->args, FLAG_POINTS, POINTS_MOST, &g.points, r) != 0)
        return -1;
    if (wanted != NULL) {
        g.visibility = NULL;
        for (size_t i = 0; i < sizeof VISIBILITIES / sizeof *VISIBILITIES; i++)
            if (strcmp(wanted, VISIBILITIES[i]) == 0)
                g.visibility = VISIBILITIES[i];
    }
    if (g.visibility == NULL)
        return report_fail(r,
                           "--visibility is visible, hidden, after_due_date or "
                           "after_published, not \"%s\"",
                           wanted);
    *out = g;
    return 0;
}

/* What a person would read in a terminal. The caller frees. */
static char *
result_text(const cJSON *submission)
{
    char *text = NULL;
    size_t len = 0;
    FILE *file = open_memstream(&text, &len);
    struct terminal t = {.file = file, .utf8 = true, .width = 80};

    if (file == NULL)
        die(EXIT_JUDGE_FAILED, "out of memory");
    result_print(&t, submission);
    if (fclose(file) != 0)
        die(EXIT_JUDGE_FAILED, "out of memory");
    return text;
}

/* Adds the tests, which are worth no points one by one. */
static void
add_tests(cJSON *tests, const cJSON *submission, const char *visibility)
{
    const cJSON *test;

    cJSON_ArrayForEach(test, answer_array(submission, "tests"))
    {
        const char *sizes = answer_string(test, "sizes");
        const char *verdict = answer_string(test, "verdict");
        const char *detail = answer_string(test, "detail");
        const bool passed = strcmp(verdict, "accepted") == 0;
        cJSON *o = cJSON_CreateObject();
        char *number = xasprintf("%ld", answer_count(test, "number"));
        char *name =
            xasprintf("test %s%s%s", number, sizes[0] != '\0' ? ": " : "", sizes);
        char *output = xasprintf("%s%s%s", verdict_shown(verdict),
                                 detail[0] != '\0' ? "\n" : "", detail);

        cJSON_AddStringToObject(o, "number", number);
        cJSON_AddStringToObject(o, "name", name);
        cJSON_AddStringToObject(o, "status", passed ? "passed" : "failed");
        cJSON_AddStringToObject(o, "output", output);
        cJSON_AddStringToObject(o, "output_format", "text");
        cJSON_AddStringToObject(o, "visibility", visibility);
        cJSON_AddItemToArray(tests, o);
        free(number);
        free(name);
        free(output);
    }
}

/* Adds the time to the assignment's board, where the submission has one. */
static void
add_time(cJSON *leaderboard, const cJSON *submission)
{
    const double time_ns = answer_number(submission, "time_ns");
    cJSON *o;

    if (isnan(time_ns))
        return;
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", "time in microseconds");
    cJSON_AddNumberToObject(o, "value", time_ns / 1000);
    cJSON_AddStringToObject(o, "order", "asc");
    cJSON_AddItemToArray(leaderboard, o);
}

static cJSON *
results_begin(const struct gradescope *g, double score, const char *output,
              double seconds)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "score", score);
    cJSON_AddNumberToObject(o, "execution_time", ceil(seconds));
    cJSON_AddStringToObject(o, "output", output);
    cJSON_AddStringToObject(o, "output_format", "text");
    cJSON_AddStringToObject(o, "visibility", g->visibility);
    cJSON_AddStringToObject(o, "stdout_visibility", "hidden");
    return o;
}

cJSON *
gradescope_json(const struct gradescope *g, const cJSON *submission, double seconds)
{
    const bool accepted = result_exit_status(submission) == EXIT_ACCEPTED;
    char *text = result_text(submission);
    cJSON *o = results_begin(g, accepted ? (double)g->points : 0, text, seconds);

    add_tests(cJSON_AddArrayToObject(o, "tests"), submission, g->visibility);
    if (accepted)
        add_time(cJSON_AddArrayToObject(o, "leaderboard"), submission);
    free(text);
    return o;
}

/* Deletes the object. Returns an exit status. */
static int
results_write(const struct gradescope *g, cJSON *results, struct report *r)
{
    char *text = cJSON_Print(results);
    int rc;

    cJSON_Delete(results);
    if (text == NULL)
        die(EXIT_JUDGE_FAILED, "out of memory");
    rc = file_write(g->path, text, strlen(text), r);
    free(text);
    return rc == 0 ? 0 : EXIT_BAD_INPUT;
}

/* A file that the judge would not take is the student's fault, and is told to them. */
static int
results_write_refused(const struct gradescope *g, struct report *r)
{
    const struct report why = *r;

    *r = (struct report){0};
    return results_write(g, results_begin(g, 0, why.text, 0), r);
}

/* Returns an exit status, and the finished submission where it is 0. */
static int
judge_source(struct cli *cli, const struct source *source, cJSON **submission)
{
    int64_t id = 0;
    int status = submit_source(cli, source, "submit", NULL, &id);

    if (status == 0)
        status = follow_submission(cli, (long)id, submission);
    if (status == 0 && result_exit_status(*submission) == EXIT_JUDGE_FAILED) {
        report_fail(&cli->report,
                    "the judge failed at submission %lld, which is not its author's "
                    "fault: no results are written (%s)",
                    (long long)id, answer_string(*submission, "message"));
        cJSON_Delete(*submission);
        status = EXIT_JUDGE_FAILED;
    }
    return status;
}

int
gradescope_submit(struct cli *cli)
{
    const uint64_t start_ns = now_ns();
    struct gradescope g = {0};
    struct source source = {0};
    cJSON *submission = NULL;
    int status;

    if (gradescope_of_flags(cli, &g, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (source_load(cli->args.positional[1], &source, &cli->report) != 0) {
        status = results_write_refused(&g, &cli->report);
    } else {
        status = judge_source(cli, &source, &submission);
        if (status == 0) {
            cJSON *results =
                gradescope_json(&g, submission, (double)(now_ns() - start_ns) / 1e9);

            cJSON_Delete(submission);
            status = results_write(&g, results, &cli->report);
        }
    }
    source_free(&source);
    return status;
}

/*
 * `submit`: the user's file goes to the judge, the wait begins, and the result is shown.
 * A file that the judge would refuse is refused here, before anything is sent.
 */
#include "cli/submit.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/announcements.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/due.h"
#include "cli/follow.h"
#include "cli/gradescope.h"
#include "cli/next.h"
#include "cli/result.h"
#include "cli/source.h"
#include "problem/names.h"

#include <stdlib.h>
#include <string.h>

/* Does the judge have this problem? Where it does not answer, it does not seem to: what
 * follows fails then, too, and says why. */
static bool
judge_has_problem(struct cli *cli, const char *slug)
{
    struct report unused = {0};
    char *path = xasprintf("/api/problems/%s", slug);
    cJSON *answer = NULL;
    const bool has = client_get(cli->client, path, &answer, &unused) == CLIENT_OK;

    cJSON_Delete(answer);
    free(path);
    return has;
}

/* The problem that the flag names, or the file, or both, if they agree. Otherwise the
 * file's name, where it is that of a problem. The caller frees it. */
static char *
choose_problem(struct cli *cli, const struct source *source, const char *flag,
               struct report *r)
{
    char *slug;

    if (flag != NULL && source->problem != NULL && strcmp(flag, source->problem) != 0) {
        report_fail(r,
                    "two problems are named: %s by --problem, %s by the `warpjudge:` "
                    "comment in %s: change one of them",
                    flag, source->problem, source->path);
        return NULL;
    }
    if (flag != NULL || source->problem != NULL)
        return xstrdup(flag != NULL ? flag : source->problem);
    slug = source_slug_of_name(source->name);
    if (slug != NULL && judge_has_problem(cli, slug))
        return slug;
    free(slug);
    report_fail(r,
                "%s does not say which problem it solves: add -p SLUG, or a comment "
                "`// warpjudge: SLUG` to the file, or name the file SLUG.cu (`warpjudge "
                "problems` lists them)",
                source->path);
    return NULL;
}

void
submit_add_user(struct cli *cli, cJSON *body)
{
    /* Over the Unix socket, or with a token, the judge knows who asks. */
    if (cli_said_user(cli) != NULL ||
        (client_url(cli->client) != NULL && !client_has_token(cli->client)))
        cJSON_AddStringToObject(body, "user", cli_user(cli));
}

/* own_case belongs to the body then. */
static cJSON *
make_body(struct cli *cli, const struct source *source, const char *problem,
          const char *mode, cJSON *own_case)
{
    const char *device = cli->args.flag[FLAG_DEVICE];
    cJSON *body = cJSON_CreateObject();
    struct buf name = {0};

    cJSON_AddStringToObject(body, "problem", problem);
    if (device != NULL)
        cJSON_AddStringToObject(body, "device", device);
    submit_add_user(cli, body);
    utf8_clean(&name, source->name); /* the name of a file may be any bytes */
    cJSON_AddStringToObject(body, "filename", buf_str(&name));
    buf_free(&name);
    cJSON_AddStringToObject(body, "mode", mode);
    if (own_case != NULL)
        cJSON_AddItemToObject(body, "own_case", own_case);
    /* It is added last, because cJSON's functions return NULL when memory runs out. */
    if (cJSON_AddStringToObject(body, "source", buf_str(&source->text)) == NULL)
        die(EXIT_JUDGE_FAILED, "out of memory");
    return body;
}

/* Adds the members that --json promises and the judge has left out. */
static void
submission_complete(cJSON *submission)
{
    static const char *const promised[] = {"id",      "problem", "device",
                                           "verdict", "time_ns", "percentile",
                                           "rank",    "entries", "message"};

    for (size_t i = 0; i < sizeof promised / sizeof *promised; i++)
        if (cJSON_GetObjectItemCaseSensitive(submission, promised[i]) == NULL)
            cJSON_AddNullToObject(submission, promised[i]);
    if (answer_array(submission, "tests") == NULL) {
        cJSON_DeleteItemFromObjectCaseSensitive(submission, "tests");
        cJSON_AddArrayToObject(submission, "tests");
    }
}

void
submit_add_command(const struct cli *cli, cJSON *submission)
{
    const char *problem = cli->args.flag[FLAG_PROBLEM];
    const char *file = cli->args.count > 1 ? cli->args.positional[1] : "";
    const size_t len = strlen(file);
    char *text;

    if (strcmp(file, "-") != 0 && (len < 4 || strcmp(file + len - 3, ".cu") != 0))
        return; /* it is the number of a submission */
    text = xasprintf("warpjudge run %s%s%s%s", problem != NULL ? "-p " : "",
                     problem != NULL ? problem : "", problem != NULL ? " " : "", file);
    cJSON_AddStringToObject(submission, "run_command", text);
    free(text);
}

int
submit_wait(struct cli *cli, long id)
{
    cJSON *submission = NULL;
    int status = follow_submission(cli, id, &submission);

    if (status != 0)
        return status;
    status = result_exit_status(submission);
    if (cli->args.flag[FLAG_JSON] != NULL) {
        submission_complete(submission);
        cli_print_json(cli, submission);
    } else {
        submit_add_command(cli, submission);
        result_print(&cli->out, submission);
        if (status == EXIT_ACCEPTED &&
            strcmp(answer_string(submission, "mode"), "submit") == 0)
            next_print_line(cli, answer_string(submission, "user"));
    }
    cJSON_Delete(submission);
    return status;
}

int
submit_body(struct cli *cli, const struct source *source, const char *mode,
            cJSON *own_case, cJSON **body)
{
    struct report *r = &cli->report;
    char *problem = NULL;
    int status = EXIT_BAD_INPUT;

    if (cli_said_user(cli) == NULL || user_name_check(cli_said_user(cli), r) == 0)
        status = cli->client != NULL ? 0 : cli_connect(cli);
    if (status == 0)
        problem = choose_problem(cli, source, cli->args.flag[FLAG_PROBLEM], r);
    if (problem == NULL) {
        cJSON_Delete(own_case);
        return status != 0 ? status : EXIT_BAD_INPUT;
    }
    *body = make_body(cli, source, problem, mode, own_case);
    free(problem);
    return 0;
}

int
submit_source(struct cli *cli, const struct source *source, const char *mode,
              cJSON *own_case, int64_t *id)
{
    struct report *r = &cli->report;
    cJSON *body = NULL, *answer = NULL;
    enum client_result result;
    int status = submit_body(cli, source, mode, own_case, &body);

    if (status != 0)
        return status;
    result = client_post(cli->client, "/api/submissions", body, &answer, r);
    cJSON_Delete(body);
    if (result != CLIENT_OK)
        return client_exit_status(result);
    if (json_get_int(answer, "id", id, r) != 0) {
        report_prefix(r, "the judge's answer to a submission");
        status = EXIT_JUDGE_FAILED;
    }
    if (status == 0)
        due_print(&cli->err, answer);
    cJSON_Delete(answer);
    return status;
}

int
submit_and_wait(struct cli *cli, const char *mode)
{
    struct source source;
    int64_t id = 0;
    int status = EXIT_BAD_INPUT;

    if (source_load(cli->args.positional[1], &source, &cli->report) == 0)
        status = submit_source(cli, &source, mode, NULL, &id);
    source_free(&source);
    if (status != 0)
        return status;
    /* A script asks for no more than the verdict. */
    if (cli->err.live)
        announcements_print(cli, &cli->err, ANNOUNCEMENTS_NEW);
    return submit_wait(cli, (long)id);
}

static int
submit_verb(struct cli *cli)
{
    const char *const *flag = cli->args.flag;

    if (flag[FLAG_GRADESCOPE] != NULL || flag[FLAG_POINTS] != NULL ||
        flag[FLAG_VISIBILITY] != NULL)
        return gradescope_submit(cli);
    return submit_and_wait(cli, "submit");
}

static const struct verb_flag flags[] = {
    {FLAG_PROBLEM, "the problem, where the file does not name it"},
    {FLAG_DEVICE, "where to run: emu, cuda:0, ... (`warpjudge status` lists them)"},
    {FLAG_USER, "your name on the board, instead of the login name"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {FLAG_GRADESCOPE, "write Gradescope's results.json to this file; status 0 then"},
    {FLAG_POINTS, "gradescope: what an accepted submission is worth; otherwise 100"},
    {FLAG_VISIBILITY, "gradescope: visible, hidden, after_due_date, after_published"},
    {0, NULL},
};

const struct verb verb_submit = {
    .name = "submit",
    .arguments = "FILE.cu",
    .summary = "judge a kernel on every test, time it and rank it",
    .about =
        "Compiles FILE.cu, runs its solve() on every test of the problem, compares the\n"
        "outputs, times it at the benchmark's size and puts it on the board, if it is\n"
        "right and your fastest. The file names its problem in a comment of its first\n"
        "50 lines, as in `// warpjudge: vector-addition`, or --problem does, or its "
        "name,\n"
        "as in vector-addition.cu. The file - is the standard input.\n"
        "\n"
        "On a machine without a GPU the kernel runs on `emu`, an emulated GPU. Its "
        "times\n"
        "are modelled, not measured, and have boards of their own.\n"
        "\n"
        "With --gradescope the judge is an autograder: an accepted submission has all "
        "points,\n"
        "any other none, and the exit status is 0 once the file is written.\n"
        "\n"
        "Stopping this command does not stop the judging: `warpjudge status ID` shows\n"
        "what became of it.",
    .example = "  warpjudge submit vec.cu\n"
               "  warpjudge submit -p softmax --device cuda:0 --json mine.cu\n"
               "  warpjudge submit -p softmax --gradescope results.json mine.cu\n",
    .flags = flags,
    .kind = VERB_JUDGES,
    .least = 1,
    .most = 1,
    .missing = "name the file to submit, as in `warpjudge submit vec.cu`",
    .run = submit_verb,
};

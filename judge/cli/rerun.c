/* `rerun`: judges a submission again with the inputs that it had, for the staff. It needs
 * the database's file, and no daemon; nothing of it is recorded. */
#include "base/buf.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/job_run.h"
#include "cli/result.h"
#include "record/store.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* What was recorded, and what came out now. */
struct rerun {
    struct submission old;
    struct buf source;
    char *own_case; /* NULL: it had none */
    struct compile_result compiled;
    struct result result;
};

static void
rerun_free(struct rerun *a)
{
    submission_free(&a->old);
    buf_free(&a->source);
    free(a->own_case);
    compile_result_free(&a->compiled);
    result_free(&a->result);
}

static int
read_submission(struct cli *cli, long id, struct rerun *a)
{
    struct report *r = &cli->report;
    struct store *s = NULL;
    bool found = false;
    int rc;

    if (store_open_to_read(cli->config.database, &s, r) != 0)
        return -1;
    rc = store_get(s, id, &found, &a->old, r);
    if (rc == 0 && found)
        rc = store_source(s, id, &found, &a->source, r);
    if (rc == 0 && found)
        rc = store_own_case(s, id, &a->own_case, r);
    store_close(s);
    if (rc == 0 && !found)
        rc = report_fail(r, "there is no submission %ld in %s", id, cli->config.database);
    if (rc == 0 && a->source.len == 0)
        rc = report_fail(r, "the source of submission %ld was removed with its account",
                         id);
    if (rc == 0 && a->old.result.seed == NULL)
        rc = report_fail(r, "submission %ld has no seed: %s", id,
                         a->old.done
                             ? "nothing was drawn for it, or it is of before seeds "
                               "were kept"
                             : "it is not judged yet");
    return rc;
}

static int
judge_again(struct cli *cli, const char *scratch, struct rerun *a)
{
    struct report *r = &cli->report;
    struct job job = {.id = a->old.id,
                      .attempt = a->old.attempt,
                      .sample_tests_only = a->old.sample_tests_only,
                      .profile = a->old.profile,
                      .problem = a->old.problem,
                      .problems_dir = cli->config.problems,
                      .device = a->old.device,
                      .filename = a->old.filename,
                      .cache_dir = cli->config.cache,
                      .insecure = cli->args.flag[FLAG_INSECURE] != NULL,
                      .seed = a->old.result.seed,
                      .own_case = a->own_case,
                      .tells_values = true};
    char *folder = NULL;
    int rc = -1;

    job.arch = job_run_arch(&cli->config, job.device, r);
    if (job.arch != NULL)
        folder = job_run_open(scratch, &job, r);
    if (folder != NULL)
        rc = job_run_judge(&cli->config, folder, &a->source, false, &a->compiled,
                           &a->result, r);
    job_run_close(folder);
    free(job.arch);
    return rc;
}

/* Is everything as it was? Of a time that was measured only the inputs are. */
static bool
is_the_same(const struct rerun *a)
{
    const struct timing *old = &a->old.result.timing, *now = &a->result.timing;

    if (a->result.verdict != a->old.result.verdict || old->present != now->present)
        return false;
    if (!now->modelled)
        return true;
    return old->sample_count == now->sample_count &&
           memcmp(old->sample_ns, now->sample_ns,
                  sizeof *now->sample_ns * (size_t)now->sample_count) == 0;
}

static void
print_again(struct cli *cli, const struct rerun *a)
{
    const struct terminal *t = &cli->out;
    const char *verdict = verdict_name(a->result.verdict);
    struct text32 time;

    terminal_print(t, STYLE_DIM, "submission %lld again, with seed %s\n",
                   (long long)a->old.id, a->old.result.seed);
    terminal_print(t, verdict_style(verdict), "%s", verdict_shown(verdict));
    terminal_print(t, STYLE_PLAIN, "  %s on %s\n", a->old.problem, a->old.device);
    if (a->result.message != NULL && a->result.message[0] != '\0')
        terminal_print(t, STYLE_PLAIN, "\n%s\n\n", a->result.message);
    if (a->result.timing.present)
        terminal_print(
            t, STYLE_PLAIN, "  time   %s, it was %s\n",
            format_time(&time, a->result.timing.median_ns, t->utf8),
            format_time(&(struct text32){0}, a->old.result.timing.median_ns, t->utf8));
    if (is_the_same(a))
        terminal_print(t, STYLE_GOOD, "as it was recorded\n");
    else
        terminal_print(t, STYLE_BAD, "not as it was recorded: %s\n",
                       verdict_text(a->old.result.verdict));
}

static void
print_json(struct cli *cli, const struct rerun *a)
{
    const struct timing *now = &a->result.timing;
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "id", (double)a->old.id);
    cJSON_AddStringToObject(o, "seed", a->old.result.seed);
    cJSON_AddStringToObject(o, "verdict", verdict_name(a->result.verdict));
    cJSON_AddStringToObject(o, "message",
                            a->result.message != NULL ? a->result.message : "");
    cJSON_AddItemToObject(o, "samples_ns",
                          cJSON_CreateDoubleArray(now->sample_ns, now->sample_count));
    cJSON_AddBoolToObject(o, "same", is_the_same(a));
    cli_print_json(cli, o);
    cJSON_Delete(o);
}

static int
rerun_in(struct cli *cli, const char *scratch, long id)
{
    struct rerun a = {0};
    int status = EXIT_JUDGE_FAILED;

    if (read_submission(cli, id, &a) != 0) {
        status = EXIT_BAD_INPUT;
    } else if (judge_again(cli, scratch, &a) == 0) {
        if (!a.compiled.ok) {
            a.result.verdict = a.compiled.verdict;
            a.result.message = xstrdup(a.compiled.message);
        }
        if (cli->args.flag[FLAG_JSON] != NULL)
            print_json(cli, &a);
        else
            print_again(cli, &a);
        status = is_the_same(&a) ? EXIT_ACCEPTED : EXIT_OTHER_VERDICT;
    }
    rerun_free(&a);
    return status;
}

static int
rerun_verb(struct cli *cli)
{
    const char *tmp = getenv("TMPDIR");
    char *scratch;
    long id = 0;
    int status = cli_configure(cli);

    if (status != 0)
        return status;
    if (args_submission(cli->args.positional[1], &id, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    scratch = xasprintf("%s/warpjudge-rerun-XXXXXX",
                        tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
    if (mkdtemp(scratch) == NULL) {
        report_errno(&cli->report, "the folder %s cannot be made", scratch);
        status = EXIT_JUDGE_FAILED;
    } else {
        status = rerun_in(cli, scratch, id);
        file_remove_tree(scratch, NULL);
    }
    free(scratch);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {FLAG_INSECURE, "run it without a sandbox: only your own"},
    {0, NULL},
};

const struct verb verb_rerun = {
    .name = "rerun",
    .arguments = "ID",
    .summary = "judge a submission again with the inputs it had, for the staff",
    .about =
        "Reads the submission and the seed of its inputs from leaderboard.db, judges it\n"
        "here and now, and says whether it comes out as it was recorded. Messages tell\n"
        "the values of timed calls, too. Nothing is recorded. It needs no daemon, but\n"
        "whoever runs it must be able to read the database. The exit status is 1 where "
        "it\n"
        "comes out otherwise.",
    .example = "  warpjudge rerun 7\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .least = 1,
    .most = 1,
    .missing = "name a submission, as in `warpjudge rerun 7`",
    .run = rerun_verb,
};

/*
 * `grade`: judges each line of a file, and writes a line for each (docs/grading.md). It
 * goes through the API as `submit` does, with modes of its own: what is graded stands
 * behind people in the queue and never ranks.
 */
#include "cli/grade_run.h"

#include "base/file.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/format.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- where it is judged --------------------------------------------------- */

/* A file of a problem that is a link would have the judge read, compile and show what the
 * link names. NULL, or the path of the first one, which the caller frees. */
static char *
find_no_plain_file(const char *folder)
{
    char *pattern[] = {xstrdup(folder), NULL}, *found = NULL;
    FTS *walk = fts_open(pattern, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *e;

    while (found == NULL && walk != NULL && (e = fts_read(walk)) != NULL) {
        /* A problem's folder may be a link: its files are looked at then. */
        if (e->fts_level == 1 && e->fts_info == FTS_SL)
            fts_set(walk, e, FTS_FOLLOW);
        else if (e->fts_level == 2 && e->fts_info == FTS_D)
            fts_set(walk, e, FTS_SKIP);
        else if (e->fts_level == 2 && e->fts_info != FTS_F && e->fts_info != FTS_DP)
            found = xstrdup(e->fts_path);
    }
    if (walk != NULL)
        fts_close(walk);
    free(pattern[0]);
    return found;
}

/* The judge of a folder of problems, which is nobody's else: its home is named after the
 * folder's path. What the folder holds is run in sandboxes, as every problem. */
static int
grade_own_judge(struct cli *cli, const char *folder)
{
    const char *url = getenv("WARPJUDGE_URL");
    char *real = realpath(folder, NULL), *home, *other;
    char hash[65];
    int status = 0;

    if (real == NULL) {
        report_errno(&cli->report, "%s cannot be used", folder);
        return EXIT_BAD_INPUT;
    }
    if (url != NULL && url[0] != '\0') {
        report_fail(&cli->report, "--problems starts a judge on this machine, and "
                                  "WARPJUDGE_URL names another");
        status = EXIT_BAD_INPUT;
    }
    other = find_no_plain_file(real);
    if (status == 0 && other != NULL) {
        report_fail(&cli->report, "%s is no plain file, as all of a problem must be",
                    other);
        status = EXIT_BAD_INPUT;
    }
    free(other);
    if (status == 0)
        status = cli_configure(cli);
    hash_hex(real, strlen(real), hash);
    home = status == 0 ? xasprintf("%s/grade-%.16s", cli->config.home, hash) : NULL;
    if (status == 0 && (file_mkdirs(home, &cli->report) != 0 ||
                        setenv("WARPJUDGE_PROBLEMS", real, 1) != 0 ||
                        setenv("WARPJUDGE_HOME", home, 1) != 0))
        status = EXIT_JUDGE_FAILED;
    if (status == 0)
        config_free(&cli->config);
    free(home);
    free(real);
    return status;
}

static const cJSON *
find_device(const cJSON *health, const char *name)
{
    const cJSON *device;

    cJSON_ArrayForEach(device, answer_array(health, "devices"))
    {
        if (strcmp(answer_string(device, "name"), name) == 0)
            return device;
    }
    return NULL;
}

/* The stage that --stage names; without it the last one that the device has. */
static int
choose_stage(const struct cli *cli, const char *device, enum grade_stage *out,
             struct report *r)
{
    const char *name = cli->args.flag[FLAG_STAGE];
    const bool gpu = strcmp(device, "emu") != 0;

    *out = gpu ? STAGE_GPU : STAGE_EMU;
    if (name == NULL)
        return 0;
    for (int i = STAGE_COMPILE; i <= STAGE_GPU; i++)
        if (strcmp(name, grade_stage_name((enum grade_stage)i)) == 0) {
            *out = (enum grade_stage)i;
            if (*out != STAGE_GPU || gpu)
                return 0;
            return report_fail(r, "--stage gpu needs a GPU, and the device is emu: say "
                                  "which by --device (`warpjudge status` lists them)");
        }
    return report_fail(r, "--stage is \"%.40s\": it must be compile, emu or gpu", name);
}

/* Asks the judge what it has, and chooses the device and the stages. */
static int
grade_choose(struct grade *g, const cJSON *health)
{
    struct cli *cli = g->cli;
    const char *name = cli->args.flag[FLAG_DEVICE];
    const cJSON *device;

    if (name == NULL)
        name = answer_string(health, "default_device");
    if (choose_stage(cli, name, &g->last, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (g->last == STAGE_EMU)
        name = "emu";
    device = find_device(health, name);
    if (device == NULL) {
        report_fail(&cli->report,
                    "the judge has no device \"%.80s\" (`warpjudge status` lists them)",
                    name);
        return EXIT_BAD_INPUT;
    }
    g->device = answer_string(device, "name");
    g->board = answer_string(device, "board");
    g->toolkit = xstrdup(answer_string(health, "toolkit"));
    g->cascade = g->last == STAGE_GPU && find_device(health, "emu") != NULL;
    g->both = cli->args.flag[FLAG_BOTH] != NULL;
    return 0;
}

/* --- the verb ------------------------------------------------------------- */

static void
grade_print_end(const struct grade *g)
{
    const struct terminal *t = &g->cli->out;
    const struct grade_counts *c = &g->counts;
    const long done = c->judged + c->cached + c->errors;
    const double seconds = (double)(now_ns() - g->begun_ns) / 1e9;
    struct text32 lines;

    terminal_print(t, STYLE_PLAIN, "%s in %.0f s", format_plural(&lines, done, "line"),
                   seconds);
    for (int i = 0; i < c->word_count; i++)
        terminal_print(t, STYLE_PLAIN, "%s %s %ld", i == 0 ? ":" : ",", c->words[i],
                       c->verdicts[i]);
    if (c->cached > 0)
        terminal_print(t, STYLE_PLAIN, "; %ld as judged before", c->cached);
    if (c->skipped > 0)
        terminal_print(t, STYLE_PLAIN, "; %ld were there already", c->skipped);
    terminal_print(t, STYLE_PLAIN, "\n");
}

static int
grade_open_files(struct grade *g)
{
    const struct args *args = &g->cli->args;
    struct report *r = &g->cli->report;
    long most = GRADE_IN_FLIGHT;

    if (args->flag[FLAG_OUTPUT] == NULL)
        report_fail(r, "say where the results go, as in `warpjudge grade in.jsonl -o "
                       "out.jsonl`");
    else if (args->flag[FLAG_JOBS] != NULL &&
             args_number(args, FLAG_JOBS, GRADE_IN_FLIGHT_MAX, &most, r) != 0)
        return EXIT_BAD_INPUT;
    else if (args->flag[FLAG_SIGN] != NULL &&
             bundle_key_read(args->flag[FLAG_SIGN], &g->signer.key, r) != 0)
        return EXIT_BAD_INPUT;
    else if (jsonl_open(&g->in, args->positional[1], r) == 0)
        (void)grade_output_open(&g->out, args->flag[FLAG_OUTPUT],
                                args->flag[FLAG_RESUME] != NULL, r);
    /* What stands in the file is passed over, so that nothing would come of a later
     * stage. */
    if (!report_is_set(r) && g->out.stage[0] != '\0' &&
        strcmp(g->out.stage, grade_stage_name(g->last)) != 0)
        report_fail(r,
                    "%s was judged with --stage %s, and this run has --stage %s: go on "
                    "with the same, or name another file",
                    g->out.path, g->out.stage, grade_stage_name(g->last));
    g->most = (int)most;
    return report_is_set(r) ? EXIT_BAD_INPUT : 0;
}

static int
grade_verb(struct cli *cli)
{
    struct grade g = {.cli = cli, .out = {.fd = -1}};
    cJSON *health = NULL;
    int status = 0;

    if (cli->args.flag[FLAG_PROBLEMS] != NULL)
        status = grade_own_judge(cli, cli->args.flag[FLAG_PROBLEMS]);
    if (status == 0)
        status = cli_connect(cli);
    if (status == 0)
        status = client_exit_status(
            client_get(cli->client, "/api/health", &health, &cli->report));
    if (status == 0)
        status = grade_choose(&g, health);
    if (status == 0)
        status = grade_open_files(&g);
    if (status == 0) {
        g.signs = cli->args.flag[FLAG_SIGN] != NULL;
        g.signer.toolkit = g.toolkit;
        g.signer.devices = answer_array(health, "devices");
        g.total = cli->err.live ? jsonl_count(g.in.path) : 0;
        status = grade_run(&g);
        grade_print_end(&g);
    }
    grade_free(&g);
    cJSON_Delete(health);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_OUTPUT, "where the results go: a line for each line of IN.jsonl"},
    {FLAG_RESUME, "go on with a file of results that is there"},
    {FLAG_DEVICE, "where to run: emu, cuda:0, ... (`warpjudge status` lists them)"},
    {FLAG_STAGE, "how far: compile, emu or gpu; otherwise what the device has"},
    {FLAG_BOTH, "judge on the GPU also what emu rejects"},
    {FLAG_JOBS, "how many lines are in flight; otherwise 64"},
    {FLAG_SIGN, "sign each result with this key of `warpjudge key new`"},
    {FLAG_PROBLEMS, "judge by the problems of this folder, on this machine"},
    {FLAG_USER, "your name, instead of the login name"},
    {0, NULL},
};

const struct verb verb_grade = {
    .name = "grade",
    .arguments = "IN.jsonl",
    .summary = "judge many kernels, a line of a file each, and rank none",
    .about =
        "Judges each line of IN.jsonl, such as\n"
        "{\"id\": \"a-1\", \"problem\": \"softmax\", \"source\": \"...\"}, and appends a "
        "line "
        "to the\n"
        "file of --output when it is done, with the verdict, the time and its interval.\n"
        "A line may also have a seed, a whole number, and tags. A line that is wrong, "
        "or\n"
        "has the id of another, becomes a line that says why.\n"
        "\n"
        "What does not compile never waits for a device. On a GPU each line is first "
        "run\n"
        "on `emu` with the problem's sample tests; what is wrong or out of bounds "
        "there,\n"
        "or has a race, is not run on the GPU.\n"
        "\n"
        "A source that was judged in the same run is not judged again; its line says "
        "so.\n"
        "A run that was stopped or killed goes on with --resume. The lines stand behind\n"
        "what people submit. On a judge with accounts that needs a token of the staff's\n"
        "with the scope bulk.",
    .example = "  warpjudge grade in.jsonl -o out.jsonl\n"
               "  warpjudge grade in.jsonl -o out.jsonl --resume --device cuda:0\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 1,
    .missing = "name the file to grade, as in `warpjudge grade in.jsonl -o out.jsonl`",
    .run = grade_verb,
};

/* `history`: lists submissions, newest first. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/result.h"
#include "cli/table.h"
#include "problem/names.h"
#include "record/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 20
#define LIMIT_MOST 1000 /* the judge tells no more at once */

/* --- which -------------------------------------------------------------- */

/* What is asked for, beside whose submissions and for which problem. */
struct filter {
    const char *verdict, *device, *mode; /* NULL: any */
    long limit, page;
};

static int
check_word(enum flag flag, const char *word, const char *const *words, size_t count,
           struct report *r)
{
    const char *meant;

    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return 0;
    meant = nearest_name(word, words, count);
    if (meant != NULL)
        return report_fail(r, "there is no %s \"%.40s\": did you mean \"%s\"?",
                           flag_name(flag), word, meant);
    return report_fail(r,
                       "there is no %s \"%.40s\": `warpjudge history --help` lists them",
                       flag_name(flag), word);
}

static int
filter_read(const struct args *args, struct filter *f, struct report *r)
{
    static const char *const MODES[] = {"submit",       "run",   "profile",
                                        "sanitize",     "grade", "grade_samples",
                                        "grade_compile"};
    const char *verdicts[VERDICT_COUNT];

    for (int v = 0; v < VERDICT_COUNT; v++)
        verdicts[v] = verdict_name((enum verdict)v);
    *f = (struct filter){args->flag[FLAG_VERDICT], args->flag[FLAG_DEVICE],
                         args->flag[FLAG_MODE], LIMIT_DEFAULT, 1};
    if (args->flag[FLAG_LIMIT] != NULL &&
        args_number(args, FLAG_LIMIT, LIMIT_MOST, &f->limit, r) != 0)
        return -1;
    if (args->flag[FLAG_PAGE] != NULL &&
        args_number(args, FLAG_PAGE, LIMIT_MOST, &f->page, r) != 0)
        return -1;
    if (f->verdict != NULL &&
        check_word(FLAG_VERDICT, f->verdict, verdicts, VERDICT_COUNT, r) != 0)
        return -1;
    return f->mode != NULL
               ? check_word(FLAG_MODE, f->mode, MODES, sizeof MODES / sizeof *MODES, r)
               : 0;
}

static bool
filter_chooses(const struct filter *f)
{
    return f->verdict != NULL || f->device != NULL || f->mode != NULL;
}

static bool
filter_takes(const struct filter *f, const cJSON *s)
{
    if (f->verdict != NULL && strcmp(answer_string(s, "verdict"), f->verdict) != 0)
        return false;
    if (f->mode != NULL && strcmp(answer_string(s, "mode"), f->mode) != 0)
        return false;
    return f->device == NULL || strcmp(answer_string(s, "device"), f->device) == 0 ||
           strcmp(answer_string(s, "board"), f->device) == 0;
}

/* How many of the newest submissions are needed for the page, and one to know whether
 * more follow. */
static long
filter_asks(const struct filter *f)
{
    const long most = f->limit * f->page + 1;

    return filter_chooses(f) || most > LIMIT_MOST ? LIMIT_MOST : most;
}

/* What became of the list. */
struct shown {
    long of;    /* how many the filter takes */
    bool whole; /* the judge had no more submissions than it has told */
};

/* Leaves of the list what is on the page. */
static void
filter_apply(const struct filter *f, cJSON *submissions, struct shown *out)
{
    const long first = f->limit * (f->page - 1);
    cJSON *s = submissions != NULL ? submissions->child : NULL;

    *out = (struct shown){.whole = cJSON_GetArraySize(submissions) < filter_asks(f)};
    while (s != NULL) {
        cJSON *next = s->next;
        const bool taken = filter_takes(f, s);

        if (!taken || out->of < first || out->of >= first + f->limit)
            cJSON_Delete(cJSON_DetachItemViaPointer(submissions, s));
        out->of += taken;
        s = next;
    }
}

/* --- the table ---------------------------------------------------------- */

enum { ID, WHEN, USER, PROBLEM, DEVICE, VERDICT, TIME, CHANGE, RANK, BEST, NAME, COUNT };

/* By how much it is faster than its user's best before it. */
static void
add_change(struct table *table, const cJSON *s)
{
    const cJSON *change = cJSON_GetObjectItemCaseSensitive(s, "change");
    const double speedup = answer_number(change, "speedup");
    struct text32 text;

    if (change == NULL)
        table_cell(table, "%s", "");
    else if (answer_count(change, "rank_before") == 0)
        table_cell(table, "%s", "first");
    else if (isnan(speedup) || !answer_true(change, "sure"))
        table_cell(table, "%s", "=");
    else
        table_cell(table, "%sx", format_rate(&text, speedup));
}

static void
add_row(struct table *table, const cJSON *s, bool everyone, const struct terminal *t)
{
    const char *state = answer_string(s, "state"), *verdict = answer_string(s, "verdict"),
               *mode = answer_string(s, "mode");
    const bool done = strcmp(state, "done") == 0;
    const double time = answer_number(s, "time_ns");
    const long rank = answer_count(s, "rank");
    struct text32 text;

    table_row(table, done ? STYLE_PLAIN : STYLE_DIM);
    table_cell(table, "%ld", answer_count(s, "id"));
    table_cell(table, "%s", format_date(&text, answer_number(s, "created_ms")));
    table_cell(table, "%s", everyone ? answer_string(s, "user") : "");
    table_cell(table, "%s", answer_string(s, "problem"));
    table_cell(table, "%s", answer_string(s, "device"));
    table_cell(table, "%s%s%s", done ? verdict_shown(verdict) : state,
               answer_true(s, "insecure") ? " (no sandbox)" : "",
               strcmp(mode, "submit") == 0      ? ""
               : strcmp(mode, "profile") == 0   ? " (profile)"
               : strcmp(mode, "sanitize") == 0  ? " (sanitizers)"
               : strncmp(mode, "grade", 5) == 0 ? " (graded)"
                                                : " (samples)");
    table_cell(table, "%s", time >= 0 ? format_time(&text, time, t->utf8) : "");
    add_change(table, s);
    if (rank > 0)
        table_cell(table, "%ld/%ld", rank, answer_count(s, "entries"));
    else
        table_cell(table, "%s", "");
    table_cell(table, "%s", answer_true(s, "best") ? "best" : "");
    table_cell(table, "%s", answer_string(s, "filename"));
}

static void
history_print(const struct terminal *t, const cJSON *submissions, bool everyone)
{
    static const struct column columns[COUNT] = {
        [ID] = {"id", true},          [WHEN] = {"when", false},
        [USER] = {"user", false},     [PROBLEM] = {"problem", false},
        [DEVICE] = {"device", false}, [VERDICT] = {"verdict", false},
        [TIME] = {"time", true},      [CHANGE] = {"change", true},
        [RANK] = {"rank", true},      [BEST] = {"", false},
        [NAME] = {"file", false},
    };
    struct table *table = table_new(columns, COUNT);
    const cJSON *s;

    table_may_cut(table, USER, 8);
    table_may_cut(table, PROBLEM, 14);
    table_may_cut(table, VERDICT, 12);
    table_may_cut(table, NAME, 8);
    table_may_leave(table, NAME, 4);
    table_may_leave(table, DEVICE, 3);
    table_may_leave(table, WHEN, 2);
    table_may_leave(table, BEST, 1);
    cJSON_ArrayForEach(s, submissions) add_row(table, s, everyone, t);
    table_print(table, t);
    table_free(table);
}

/* Says where the page is in the list. */
static void
print_place(const struct terminal *t, const struct filter *f, const struct shown *shown,
            long rows)
{
    const long first = f->limit * (f->page - 1);

    if (shown->of > first + rows)
        terminal_print(t, STYLE_DIM, "older ones: `--page %ld`\n", f->page + 1);
    else if (!shown->whole)
        terminal_paragraph(t, STYLE_DIM, 0,
                           "only the newest %d submissions were looked at: -p SLUG looks "
                           "further back",
                           LIMIT_MOST);
}

/* --- asking ------------------------------------------------------------- */

static char *
make_path(struct cli *cli, long limit)
{
    const char *problem = cli->args.flag[FLAG_PROBLEM];
    struct buf path = {0};
    char *escaped;

    buf_printf(&path, "/api/submissions?limit=%ld", limit);
    if (cli->args.flag[FLAG_ALL] == NULL) {
        escaped = client_escape(cli_user(cli));
        buf_printf(&path, "&user=%s", escaped);
        free(escaped);
    }
    if (problem != NULL) {
        escaped = client_escape(problem);
        buf_printf(&path, "&problem=%s", escaped);
        free(escaped);
    }
    return buf_take(&path);
}

/* Where nothing is listed, says why. A problem that is not there is an error. */
static int
history_empty(struct cli *cli, const struct filter *f, const struct shown *shown)
{
    const char *problem = cli->args.flag[FLAG_PROBLEM];
    const bool everyone = cli->args.flag[FLAG_ALL] != NULL;
    char *slug = client_escape(problem != NULL ? problem : "");
    char *path = xasprintf("/api/problems/%s", slug);
    cJSON *answer = NULL;
    int status = 0;

    if (problem != NULL)
        status = client_exit_status(client_get(cli->client, path, &answer, &cli->report));
    if (status == 0 && shown->of > 0)
        terminal_print(&cli->out, STYLE_PLAIN,
                       "there is no page %ld: the last one is %ld\n", f->page,
                       (shown->of - 1) / f->limit + 1);
    else if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "no%s submissions%s%s%s%s yet\n",
                       filter_chooses(f) ? " such" : "", everyone ? "" : " by ",
                       everyone ? "" : cli_user(cli), problem != NULL ? " for " : "",
                       problem != NULL ? problem : "");
    cJSON_Delete(answer);
    free(path);
    free(slug);
    return status;
}

static int
history_show(struct cli *cli, const struct filter *f, cJSON *answer)
{
    cJSON *submissions = cJSON_GetObjectItemCaseSensitive(answer, "submissions");
    struct shown shown;

    filter_apply(f, submissions, &shown);
    if (cli->args.flag[FLAG_JSON] != NULL) {
        cli_print_json(cli, answer);
        return 0;
    }
    if (cJSON_GetArraySize(submissions) == 0)
        return history_empty(cli, f, &shown);
    history_print(&cli->out, submissions, cli->args.flag[FLAG_ALL] != NULL);
    print_place(&cli->out, f, &shown, cJSON_GetArraySize(submissions));
    return 0;
}

static int
history_verb(struct cli *cli)
{
    cJSON *answer = NULL;
    struct filter f;
    char *path;
    int status;

    if (filter_read(&cli->args, &f, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (cli->args.flag[FLAG_ALL] != NULL && cli->args.flag[FLAG_USER] != NULL) {
        report_fail(&cli->report, "--all and --user contradict each other: give one");
        return EXIT_BAD_INPUT;
    }
    status = cli_connect(cli);
    if (status != 0)
        return status;
    path = make_path(cli, filter_asks(&f));
    status = client_exit_status(client_get(cli->client, path, &answer, &cli->report));
    free(path);
    if (status == 0)
        status = history_show(cli, &f, answer);
    cJSON_Delete(answer);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_PROBLEM, "only this problem's"},
    {FLAG_VERDICT, "only those with this verdict, such as accepted or wrong_answer"},
    {FLAG_DEVICE, "only those judged on this device, or on this board"},
    {FLAG_MODE, "only those of submit, run, profile, sanitize or grade"},
    {FLAG_USER, "this user's instead of yours"},
    {FLAG_ALL, "everybody's"},
    {FLAG_LIMIT, "how many on a page at most, from 1 to 1000; otherwise 20"},
    {FLAG_PAGE, "the page of this number; 1 has the newest"},
    {FLAG_JSON, "the page as one JSON object"},
    {0, NULL},
};

const struct verb verb_history = {
    .name = "history",
    .arguments = "",
    .summary = "list your submissions, newest first",
    .about =
        "Lists your submissions, or somebody else's, newest first. `change` is by how "
        "much "
        "one\n"
        "was faster than the best before it: 1.30x is faster, 0.90x slower, and = is too "
        "close\n"
        "to be sure. `rank` is its time's place on the board as it is now, and `best` "
        "marks "
        "the\n"
        "entries there. `warpjudge status ID` shows one in full, `warpjudge source ID` "
        "its "
        "file,\n"
        "and `warpjudge compare ID ID` two side by side. A list is chosen from the "
        "newest "
        "1000.\n"
        "\n"
        "The verdicts are accepted, wrong_answer, compile_error, runtime_error, "
        "time_limit,\n"
        "memory_limit, output_limit, disqualified, judge_error and cancelled.",
    .example = "  warpjudge history\n"
               "  warpjudge history -p softmax --verdict accepted --page 2\n"
               "  warpjudge history --all -p softmax --limit 5\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .run = history_verb,
};

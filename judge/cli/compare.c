/* `compare`: two submissions to one problem side by side, and what their sources differ
 * in. */
#include "base/buf.h"
#include "base/line_diff.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/compare_tables.h"
#include "cli/format.h"
#include "record/ranked_interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of the two. */
struct side {
    long id;
    cJSON *submission;
    char *source;         /* NULL: it is not for who asks */
    struct report hidden; /* why */
};

/* --- asking ------------------------------------------------------------- */

/* Gets a submission and its source. A source that is another's is left out. */
static int
side_get(struct cli *cli, struct side *s)
{
    char *path = xasprintf("/api/submissions/%ld", s->id);
    char *source_path = xasprintf("%s/source", path);
    cJSON *answer = NULL;
    enum client_result result =
        client_get(cli->client, path, &s->submission, &cli->report);

    if (result == CLIENT_OK) {
        result = client_get(cli->client, source_path, &answer, &s->hidden);
        if (result == CLIENT_OK)
            s->source = xstrdup(answer_string(answer, "source"));
        else if (result != CLIENT_REFUSED)
            report_fail(&cli->report, "%s", s->hidden.text);
        if (result == CLIENT_REFUSED)
            result = CLIENT_OK;
    }
    cJSON_Delete(answer);
    free(source_path);
    free(path);
    return client_exit_status(result);
}

static int
check_one_problem(const struct side *a, const struct side *b, struct report *r)
{
    const char *one = answer_string(a->submission, "problem"),
               *other = answer_string(b->submission, "problem");

    if (strcmp(one, other) == 0)
        return 0;
    return report_fail(r,
                       "submission %ld is for %s and submission %ld for %s: two for one "
                       "problem can be compared",
                       a->id, one, b->id, other);
}

/* --- times -------------------------------------------------------------- */

/* Why the times of two submissions say nothing about each other; NULL: they do. */
static const char *
times_incomparable(const cJSON *a, const cJSON *b)
{
    if (isnan(answer_number(a, "time_ns")) || isnan(answer_number(b, "time_ns")))
        return "only accepted submissions have times";
    if (strcmp(answer_string(a, "board"), answer_string(b, "board")) != 0)
        return "they were judged on different devices";
    if (strcmp(answer_string(a, "meaning"), answer_string(b, "meaning")) != 0)
        return "the problem has changed between them";
    return NULL;
}

static struct measured
side_measured(const cJSON *submission)
{
    return (struct measured){.time_ns = answer_number(submission, "time_ns"),
                             .low_ns = answer_number(submission, "low_ns"),
                             .high_ns = answer_number(submission, "high_ns")};
}

/* "faster", "slower" or "unsure". NULL where the times say nothing about each other. */
static const char *
times_compare(const cJSON *before, const cJSON *after)
{
    static const char *const WORDS[] = {[RANKED_FASTER] = "faster",
                                        [RANKED_SLOWER] = "slower",
                                        [RANKED_UNSURE] = "unsure"};
    struct measured old, new;

    if (times_incomparable(before, after) != NULL)
        return NULL;
    old = side_measured(before);
    new = side_measured(after);
    return WORDS[ranked_compare(&old, &new, answer_string(before, "board"))];
}

static void
print_times(const struct terminal *t, const struct side *a, const struct side *b)
{
    const char *outcome = times_compare(a->submission, b->submission);
    const double before = answer_number(a->submission, "time_ns"),
                 after = answer_number(b->submission, "time_ns");
    const double ratio = after < before ? before / after : after / before;
    struct text32 text;

    if (outcome == NULL)
        terminal_paragraph(t, STYLE_WARN, 0, "their times cannot be compared: %s",
                           times_incomparable(a->submission, b->submission));
    else if (strcmp(outcome, "unsure") == 0)
        terminal_paragraph(t, STYLE_BOLD, 0,
                           "the times of %ld and %ld cannot be told apart", a->id, b->id);
    else
        terminal_paragraph(t, strcmp(outcome, "faster") == 0 ? STYLE_GOOD : STYLE_BAD, 0,
                           "%ld is %s%s %s than %ld", b->id,
                           ratio < SPEEDUP_SHOWN ? "less than 1 %"
                                                 : format_rate(&text, ratio),
                           ratio < SPEEDUP_SHOWN ? "" : "x", outcome, a->id);
}

/* --- printing ----------------------------------------------------------- */

static void
print_side(const struct terminal *t, const struct side *s)
{
    struct text32 date;

    terminal_paragraph(t, STYLE_PLAIN, 0, "%ld  %s by %s, %s, on %s", s->id,
                       answer_string(s->submission, "filename"),
                       answer_string(s->submission, "user"),
                       format_date(&date, answer_number(s->submission, "created_ms")),
                       answer_string(s->submission, "device"));
}

/* "3/vec.cu", for the head of the difference. The caller frees. */
static char *
side_name(const struct side *s)
{
    return xasprintf("%ld/%s", s->id, answer_string(s->submission, "filename"));
}

/* Prints text in the unified format, with its lines coloured. Its first two lines name
 * the files. A later one that begins alike is a changed line of code, such as `--i;`. */
static void
print_unified(const struct terminal *t, const char *text)
{
    for (int line = 1; *text != '\0'; line++) {
        const size_t rest = strcspn(text, "\n");

        terminal_print(t,
                       line <= 2        ? STYLE_BOLD
                       : text[0] == '+' ? STYLE_GOOD
                       : text[0] == '-' ? STYLE_BAD
                       : text[0] == '@' ? STYLE_DIM
                                        : STYLE_PLAIN,
                       "%.*s", (int)rest, text);
        terminal_print(t, STYLE_PLAIN, "\n");
        text += rest + (text[rest] == '\n');
    }
}

/* The difference of the sources in the unified format, which the caller frees; NULL where
 * one of them is not for who asks. */
static char *
unified_text(const struct side *a, const struct side *b, const struct line_diff *diff)
{
    char *before, *after;
    struct buf text = {0};

    if (a->source == NULL || b->source == NULL)
        return NULL;
    before = side_name(a);
    after = side_name(b);
    line_diff_unified(diff, before, after, &text);
    free(before);
    free(after);
    return buf_take(&text);
}

static void
print_sources(const struct terminal *t, const struct side *a, const struct side *b,
              const struct line_diff *diff)
{
    char *text = unified_text(a, b, diff);

    terminal_print(t, STYLE_PLAIN, "\n");
    if (text == NULL)
        terminal_paragraph(t, STYLE_WARN, 0, "no difference of the sources is shown: %s",
                           a->source == NULL ? a->hidden.text : b->hidden.text);
    else if (text[0] == '\0')
        terminal_print(t, STYLE_PLAIN, "their sources are the same\n");
    else
        print_unified(t, text);
    free(text);
}

static void
print_json(struct cli *cli, struct side *a, struct side *b, const struct line_diff *diff)
{
    const char *outcome = times_compare(a->submission, b->submission);
    char *text = unified_text(a, b, diff);
    cJSON *o = cJSON_CreateObject();

    cJSON_AddItemToObject(o, "before", cJSON_Duplicate(a->submission, true));
    cJSON_AddItemToObject(o, "after", cJSON_Duplicate(b->submission, true));
    cJSON_AddItemToObject(
        o, "outcome", outcome != NULL ? cJSON_CreateString(outcome) : cJSON_CreateNull());
    cJSON_AddItemToObject(
        o, "speedup",
        outcome != NULL ? cJSON_CreateNumber(answer_number(a->submission, "time_ns") /
                                             answer_number(b->submission, "time_ns"))
                        : cJSON_CreateNull());
    cJSON_AddItemToObject(o, "diff",
                          text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull());
    cli_print_json(cli, o);
    cJSON_Delete(o);
    free(text);
}

static void
compare_print(struct cli *cli, struct side *a, struct side *b)
{
    const struct terminal *t = &cli->out;
    const struct compared both = {a->submission, b->submission};
    struct line_diff diff;

    line_diff_make(a->source != NULL ? a->source : "", b->source != NULL ? b->source : "",
                   &diff);
    if (cli->args.flag[FLAG_JSON] != NULL) {
        print_json(cli, a, b, &diff);
    } else {
        print_side(t, a);
        print_side(t, b);
        print_times(t, a, b);
        terminal_print(t, STYLE_PLAIN, "\n");
        compare_print_figures(t, &both);
        if (a->source != NULL && b->source != NULL)
            compare_print_lines(t, &both, &diff);
        print_sources(t, a, b, &diff);
    }
    line_diff_free(&diff);
}

/* --- the verb ----------------------------------------------------------- */

static int
compare_verb(struct cli *cli)
{
    struct side side[2] = {0};
    int status = 0;

    for (int i = 0; i < 2; i++)
        if (args_submission(cli->args.positional[1 + i], &side[i].id, &cli->report) != 0)
            return EXIT_BAD_INPUT;
    status = cli_connect(cli);
    for (int i = 0; i < 2 && status == 0; i++)
        status = side_get(cli, &side[i]);
    if (status == 0 && check_one_problem(&side[0], &side[1], &cli->report) != 0)
        status = EXIT_BAD_INPUT;
    if (status == 0)
        compare_print(cli, &side[0], &side[1]);
    for (int i = 0; i < 2; i++) {
        cJSON_Delete(side[i].submission);
        free(side[i].source);
    }
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_JSON, "both submissions, the outcome and the difference as one JSON object"},
    {0, NULL},
};

const struct verb verb_compare = {
    .name = "compare",
    .arguments = "ID ID",
    .summary = "compare two submissions: time, counters and source",
    .about =
        "Compares the second submission with the first: whether it is faster, slower "
        "or not\n"
        "to be told apart, by the intervals that decide ranks; times, places and "
        "counters\n"
        "side by side; what each line costs, where the device tells; and the difference "
        "of\n"
        "the sources. Counters and costs are those of one call on `emu`.",
    .example = "  warpjudge compare 7 12\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 2,
    .most = 2,
    .missing = "name two submissions by their numbers, as in `warpjudge compare 7 12`",
    .run = compare_verb,
};

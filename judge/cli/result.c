/* Prints a submission: its verdict, time, doubts about the time, place, costs and
 * notices. */
#include "cli/result.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/house_marks.h"
#include "cli/kernel_costs.h"
#include "cli/profile_report.h"
#include "cli/wrong_grid.h"
#include "record/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRAPPED_INDENT 2 /* of what goes on in the next line */

int
result_exit_status(const cJSON *submission)
{
    const char *verdict = answer_string(submission, "verdict");

    if (strcmp(verdict, verdict_name(VERDICT_ACCEPTED)) == 0)
        return EXIT_ACCEPTED;
    if (verdict[0] == '\0' || strcmp(verdict, verdict_name(VERDICT_JUDGE_ERROR)) == 0)
        return EXIT_JUDGE_FAILED;
    return EXIT_OTHER_VERDICT;
}

const char *
verdict_shown(const char *verdict)
{
    enum verdict v;

    return verdict_parse(verdict, &v) == 0 ? verdict_text(v) : verdict;
}

enum style
verdict_style(const char *verdict)
{
    enum verdict v;

    if (verdict_parse(verdict, &v) != 0)
        return STYLE_PLAIN;
    if (v == VERDICT_ACCEPTED)
        return STYLE_GOOD;
    return v == VERDICT_JUDGE_ERROR ? STYLE_WARN : STYLE_BAD;
}

/* Prints a text with every line indented. It prints nothing where the text is empty. */
static void
print_block(const struct terminal *t, int indent, const char *text)
{
    while (*text != '\0') {
        const size_t len = strcspn(text, "\n");
        char *line = xasprintf("%*s%.*s", len > 0 ? indent : 0, "", (int)len, text);

        terminal_line(t, STYLE_PLAIN, WRAPPED_INDENT, line);
        free(line);
        text += len + (text[len] == '\n');
    }
}

static void
print_label(const struct terminal *t, const char *label)
{
    terminal_print(t, STYLE_DIM, "  %-7s", label);
}

static void
print_time(const struct terminal *t, const cJSON *s)
{
    double time = answer_number(s, "time_ns"), low = answer_number(s, "low_ns"),
           high = answer_number(s, "high_ns");
    int calls = cJSON_GetArraySize(answer_array(s, "samples_ns"));
    const char *sizes = answer_string(s, "sizes");
    struct text32 text, from, to;

    if (isnan(time))
        return;
    print_label(t, "time");
    terminal_print(t, STYLE_BOLD, "%s", format_time(&text, time, t->utf8));
    if (sizes[0] != '\0')
        terminal_print(t, STYLE_PLAIN, " at %s", sizes);
    if (answer_true(s, "modelled")) {
        terminal_print(t, STYLE_WARN, "  modelled on emu, not measured");
        if (low < high)
            terminal_print(t, STYLE_DIM, "  (it depends on the inputs: %s to %s)",
                           format_time(&from, low, t->utf8),
                           format_time(&to, high, t->utf8));
    } else if (calls > 1 && low <= high)
        terminal_print(t, STYLE_DIM, "  (median of %d calls; 95%% sure: %s to %s)", calls,
                       format_time(&from, low, t->utf8), format_time(&to, high, t->utf8));
    terminal_print(t, STYLE_PLAIN, "\n");
}

/* Prints the share of the roofline, such as "62% of the limit that memory sets". */
static void
print_share(const struct terminal *t, const cJSON *s, const char *before)
{
    double share = answer_number(s, "limit_share");
    const char *by = answer_string(s, "limit_by");
    struct text32 text;

    if (!isnan(share) && share > 0)
        terminal_print(t, STYLE_PLAIN, "%s%s of the limit that %s sets", before,
                       format_percent(&text, 100 * share), by);
}

static void
print_speed(const struct terminal *t, const cJSON *s)
{
    double bandwidth = answer_number(s, "bandwidth_gbs");
    double gflops = answer_number(s, "gflops");
    struct text32 text;

    if (isnan(bandwidth) && isnan(gflops))
        return;
    print_label(t, "speed");
    if (!isnan(bandwidth))
        terminal_print(t, STYLE_PLAIN, "%s GB/s", format_rate(&text, bandwidth));
    if (!isnan(gflops)) {
        bool tera = gflops >= 999.5;

        terminal_print(t, STYLE_PLAIN, "%s%s %sFLOP/s", isnan(bandwidth) ? "" : ", ",
                       format_rate(&text, tera ? gflops / 1000 : gflops),
                       tera ? "T" : "G");
    }
    print_share(t, s, "; ");
    terminal_print(t, STYLE_PLAIN, "\n");
}

/* Prints what a person should know before believing the time. The judge has marked a time
 * that is near the roofline for review. */
static void
print_doubts(const struct terminal *t, const cJSON *s)
{
    const char *remark = answer_string(s, "remark");

    if (answer_true(s, "review")) {
        print_label(t, "review");
        terminal_print(
            t, STYLE_WARN,
            "close to what the hardware can do, or beyond: marked for a person "
            "to look at\n");
    }
    if (remark[0] != '\0') {
        print_label(t, "note");
        terminal_print(t, STYLE_WARN, "%s\n", remark);
    }
}

/* Prints the time of the user's entry, where this submission did not become the entry. It
 * is for judges that do not tell the change. */
static void
print_entry(const struct terminal *t, const cJSON *s)
{
    double time = answer_number(s, "time_ns"), best = answer_number(s, "best_time_ns");
    struct text32 text;

    if (!cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(s, "best")) ||
        cJSON_GetObjectItemCaseSensitive(s, "change") != NULL)
        return;
    if (best < time)
        terminal_print(t, STYLE_DIM, "  (your faster entry, %s, stays on the board)",
                       format_time(&text, best, t->utf8));
    else
        terminal_print(t, STYLE_DIM,
                       "  (no faster than your earlier entry, which stays on the board)");
}

static void
print_rank(const struct terminal *t, const cJSON *s)
{
    long rank = answer_count(s, "rank"), entries = answer_count(s, "entries");
    long ties = answer_count(s, "ties");
    double percentile = answer_number(s, "percentile");
    struct text32 place, percent, others;

    if (rank == 0)
        return;
    print_label(t, "rank");
    terminal_print(t, STYLE_BOLD, "%s of %ld", format_ordinal(&place, rank), entries);
    if (entries <= 1)
        terminal_print(t, STYLE_PLAIN, ", nobody else is on this board yet");
    else if (ties > 0) /* ties count half in the percentile, which is no share then */
        terminal_print(t, STYLE_PLAIN, ", level with %s, percentile %s",
                       format_plural(&others, ties, "other"),
                       format_percent(&percent, percentile));
    else if (percentile <= 0)
        terminal_print(t, STYLE_PLAIN, ", all the others are faster");
    else if (!isnan(percentile))
        terminal_print(t, STYLE_PLAIN, ", faster than %s of the others",
                       format_percent(&percent, percentile));
    print_entry(t, s);
    if (answer_true(s, "older"))
        terminal_print(t, STYLE_WARN,
                       "  (the board has begun anew since: `rank --older`)");
    terminal_print(t, STYLE_PLAIN, "\n");
}

/* Prints how a time compares with the user's best before it. */
static void
print_speedup(const struct terminal *t, const cJSON *change)
{
    const double speedup = answer_number(change, "speedup"),
                 ratio = speedup < 1 ? 1 / speedup : speedup;
    const char *word = speedup < 1 ? "slower" : "faster";
    struct text32 text;

    if (ratio == 1)
        terminal_print(t, STYLE_PLAIN, "as fast as");
    else if (ratio < SPEEDUP_SHOWN)
        terminal_print(t, STYLE_PLAIN, "less than 1 %% %s than", word);
    else
        terminal_print(t, speedup < 1 ? STYLE_PLAIN : STYLE_GOOD, "%sx %s than",
                       format_rate(&text, ratio), word);
    terminal_print(t, STYLE_PLAIN, " your best (submission %ld)",
                   answer_count(change, "best"));
    if (ratio != 1 && !answer_true(change, "sure"))
        terminal_print(t, STYLE_DIM, ", too close to be sure");
}

/* Prints what the submission changed on the board when it was judged. */
static void
print_change(const struct terminal *t, const cJSON *s)
{
    const cJSON *change = cJSON_GetObjectItemCaseSensitive(s, "change");
    const long before = answer_count(change, "rank_before");
    const long rank = answer_count(change, "rank");
    const long entries = answer_count(change, "entries");
    struct text32 from, to;

    if (rank == 0)
        return;
    print_label(t, "change");
    if (before == 0) {
        terminal_print(t, STYLE_PLAIN, "your first accepted one on this board\n");
        return;
    }
    print_speedup(t, change);
    if (!answer_true(change, "improved"))
        terminal_print(t, STYLE_PLAIN, ", which stays on the board\n");
    else if (before == rank)
        terminal_print(t, STYLE_PLAIN, ": still %s of %ld\n", format_ordinal(&to, rank),
                       entries);
    else
        terminal_print(t, STYLE_PLAIN, ": from %s to %s of %ld\n",
                       format_ordinal(&from, before), format_ordinal(&to, rank), entries);
}

static void
print_house(const struct terminal *t, const cJSON *s)
{
    const cJSON *house = cJSON_GetObjectItemCaseSensitive(s, "house");

    if (answer_count(house, "steps") == 0)
        return;
    print_label(t, "house");
    house_count_print(t, house);
    terminal_print(t, STYLE_PLAIN, "\n");
}

/* Says which `run` has the sizes of the hidden test that failed: "N=31, M=7" becomes
 * "--size N=31 --size M=7". A sample test is shown with its values. */
static void
print_sizes_again(const struct terminal *t, const cJSON *s, const cJSON *test)
{
    const char *sizes = answer_string(test, "sizes"),
               *command = answer_string(s, "run_command");

    if (strcmp(answer_string(test, "verdict"), verdict_name(VERDICT_ACCEPTED)) == 0 ||
        sizes[0] == '\0' || answer_string(test, "detail")[0] != '\0')
        return;
    print_label(t, "");
    if (command[0] != '\0')
        terminal_print(t, STYLE_PLAIN, "`%s", command);
    else
        terminal_print(t, STYLE_PLAIN, "`warpjudge run %s", answer_string(s, "filename"));
    while (sizes[0] != '\0') {
        const size_t len = strcspn(sizes, ",");

        terminal_print(t, STYLE_PLAIN, " --size %.*s", (int)len, sizes);
        sizes += len;
        sizes += strspn(sizes, ", ");
    }
    terminal_print(t, STYLE_PLAIN, "` tries this size\n");
}

static void
print_tests(const struct terminal *t, const cJSON *s)
{
    const cJSON *tests = answer_array(s, "tests"), *test;
    const char *accepted = verdict_name(VERDICT_ACCEPTED);
    int passed = 0, count = cJSON_GetArraySize(tests);

    if (count == 0)
        return;
    cJSON_ArrayForEach(test, tests) passed +=
        strcmp(answer_string(test, "verdict"), accepted) == 0;
    print_label(t, "tests");
    if (passed == count)
        terminal_print(t, STYLE_PLAIN, "%d of %d passed\n", passed, count);
    else
        terminal_print(t, STYLE_PLAIN, "%d passed, then one failed\n", passed);
    print_sizes_again(t, s, cJSON_GetArrayItem(tests, count - 1));
}

/* Prints the tests whose values are told. `run` lists each of its tests, even where none
 * is. */
static void
print_told_tests(const struct terminal *t, const cJSON *s, bool all)
{
    const cJSON *test;

    cJSON_ArrayForEach(test, answer_array(s, "tests"))
    {
        const char *verdict = answer_string(test, "verdict");

        if (!all && answer_string(test, "detail")[0] == '\0')
            continue;
        if (answer_true(s, "own_case"))
            terminal_print(t, STYLE_BOLD, "\nyour case");
        else
            terminal_print(t, STYLE_BOLD, "\ntest %ld", answer_count(test, "number"));
        terminal_print(t, STYLE_PLAIN, "  %s  ", answer_string(test, "sizes"));
        terminal_print(t, verdict_style(verdict), "%s", verdict_shown(verdict));
        terminal_print(t, STYLE_PLAIN, "\n");
        print_block(t, 2, answer_string(test, "detail"));
    }
}

static void
print_where(const struct terminal *t, const cJSON *s)
{
    const char *device = answer_string(s, "device"), *board = answer_string(s, "board");

    terminal_print(t, STYLE_PLAIN, "  %s on %s", answer_string(s, "problem"), device);
    if (board[0] != '\0' && strcmp(board, device) != 0)
        terminal_print(t, STYLE_PLAIN, " (%s)", board);
    terminal_print(t, STYLE_PLAIN, "\n");
}

void
result_place(char *text, size_t size, const cJSON *o)
{
    const long position = answer_count(o, "position");
    const long seconds = answer_count(o, "estimate_seconds");
    struct text32 place;
    int n;

    if (position <= 1)
        n = snprintf(text, size, "queued, next in line");
    else
        n = snprintf(text, size, "queued, %s in line", format_ordinal(&place, position));
    if (seconds > 0 && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", in about %ld s", seconds);
}

static void
print_unfinished(const struct terminal *t, const cJSON *s, const char *state)
{
    char place[80];

    if (answer_count(s, "position") > 0)
        result_place(place, sizeof place, s);
    else
        snprintf(place, sizeof place, "%s", state);
    terminal_print(t, STYLE_BOLD, "%s", place);
    print_where(t, s);
    if (answer_string(s, "waiting_reason")[0] != '\0') {
        terminal_print(t, STYLE_PLAIN, "\n");
        terminal_paragraph(t, STYLE_WARN, 0, "it waits: %s",
                           answer_string(s, "waiting_reason"));
    }
    terminal_print(t, STYLE_DIM,
                   "\nsubmission %ld by %s; `warpjudge status --wait %ld` waits for it\n",
                   answer_count(s, "id"), answer_string(s, "user"),
                   answer_count(s, "id"));
}

/* Prints what the emulated GPU or compute-sanitizer noticed though a GPU lets it pass.
 * The message of a wrong answer has told the first notice already. */
static void
print_notices(const struct terminal *t, const cJSON *s, const char *message)
{
    const cJSON *notice;
    bool any = false;

    cJSON_ArrayForEach(notice, answer_array(s, "notices"))
    {
        const char *text = answer_string(notice, "text");

        if (text[0] == '\0' || strstr(message, text) != NULL)
            continue;
        terminal_print(t, STYLE_PLAIN, "\n");
        if (!any)
            terminal_print(t, STYLE_BOLD,
                           "noticed, though a GPU does not stop for it:\n");
        any = true;
        print_block(t, 2, text);
    }
}

/* Says which results this one has taken the place of. */
static void
print_history(const struct terminal *t, const cJSON *s)
{
    const cJSON *past;

    cJSON_ArrayForEach(past, answer_array(s, "history"))
    {
        const double time_ns = answer_number(past, "time_ns");
        struct text32 date, time;

        terminal_print(t, STYLE_DIM, "judged again: %s%s%s before, on %s\n",
                       verdict_shown(answer_string(past, "verdict")),
                       time_ns > 0 ? " with " : "",
                       time_ns > 0 ? format_time(&time, time_ns, t->utf8) : "",
                       format_date(&date, answer_number(past, "finished_ms")));
    }
}

static void
print_footer(const struct terminal *t, const cJSON *s)
{
    double seconds = answer_number(s, "compile_seconds");

    terminal_print(t, STYLE_PLAIN, "\n");
    terminal_print(t, STYLE_DIM, "submission %ld", answer_count(s, "id"));
    if (answer_true(s, "compile_cached"))
        terminal_print(t, STYLE_DIM, ", unchanged since it was compiled");
    else if (seconds > 0)
        terminal_print(t, STYLE_DIM, ", compiled in %.1f s", seconds);
    if (answer_count(s, "attempt") == 2)
        terminal_print(t, STYLE_DIM, ", judged twice");
    else if (answer_count(s, "attempt") > 2)
        terminal_print(t, STYLE_DIM, ", judged %ld times", answer_count(s, "attempt"));
    if (answer_string(s, "node")[0] != '\0')
        terminal_print(t, STYLE_DIM, ", on %s", answer_string(s, "node"));
    terminal_print(t, STYLE_PLAIN, "\n");
    print_history(t, s);
}

static void
print_result(const struct terminal *t, const cJSON *s)
{
    const char *state = answer_string(s, "state"), *message = answer_string(s, "message");
    const char *verdict = answer_string(s, "verdict");
    const char *mode = answer_string(s, "mode");
    bool compiled_only = strcmp(mode, "grade_compile") == 0;
    bool sample_tests_only = strcmp(mode, "submit") != 0 && strcmp(mode, "grade") != 0;
    bool is_profile = strcmp(mode, "profile") == 0 || strcmp(mode, "sanitize") == 0;

    if (strcmp(state, "done") != 0) {
        print_unfinished(t, s, state);
        return;
    }
    terminal_print(t, verdict_style(verdict), "%s", verdict_shown(verdict));
    print_where(t, s);
    if (answer_true(s, "insecure"))
        terminal_print(
            t, STYLE_WARN,
            "judged without a sandbox (--insecure-no-sandbox): believe it as far "
            "as you trust the program\n");
    if (answer_true(s, "concealed"))
        terminal_print(
            t, STYLE_DIM,
            "it is another's: its messages and tests are for its owner and the "
            "staff\n");
    if (message[0] != '\0') {
        terminal_print(t, STYLE_PLAIN, "\n");
        print_block(t, 0, message);
    }
    print_notices(t, s, message);
    /* Samples that are right are no part of a profile. */
    if (!is_profile || strcmp(verdict, verdict_name(VERDICT_ACCEPTED)) != 0)
        print_told_tests(t, s, sample_tests_only);
    wrong_grid_print(t, cJSON_GetObjectItemCaseSensitive(s, "failure"));
    if (is_profile) {
        profile_report_print(t, s);
    } else if (sample_tests_only && !compiled_only) {
        kernel_costs_print(t, s);
        terminal_print(t, STYLE_DIM,
                       "\nonly %s: `warpjudge submit` runs every test, times and ranks\n",
                       answer_true(s, "own_case") ? "your case was run"
                                                  : "the samples were run");
    } else if (!isnan(answer_number(s, "time_ns")) ||
               cJSON_GetArraySize(answer_array(s, "tests")) > 0) {
        terminal_print(t, STYLE_PLAIN, "\n");
        print_time(t, s);
        print_speed(t, s);
        print_doubts(t, s);
        print_rank(t, s);
        print_change(t, s);
        print_house(t, s);
        print_tests(t, s);
        kernel_costs_print(t, s);
    }
    print_footer(t, s);
}

void
result_print(const struct terminal *t, const cJSON *submission)
{
    struct terminal page;

    terminal_page_begin(&page, t);
    print_result(&page, submission);
    terminal_page_end(&page, t);
}

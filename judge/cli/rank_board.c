/* A board as a table: its entries with intervals, the marks beside them, what the board
 * is and what else there is. */
#include "cli/rank.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/format.h"
#include "cli/house_marks.h"
#include "cli/rank_baselines.h"
#include "cli/table.h"
#include "cli/text.h"

#include <math.h>
#include <string.h>

/* The marks of an entry, which stand beside its share of the roofline. */
static const struct mark {
    const char *key; /* the entry has the mark where this is true or a text */
    const char *sign, *meaning;
} marks[] = {
    {"review", "*", "at the hardware's limit, or nearly: a person should look"},
    {"remark", "~", "there is more to say of this entry: `warpjudge status SUBMISSION`"},
    {"insecure", "!", "judged without a sandbox, so that nothing kept it from cheating"},
};

static bool
is_marked(const cJSON *e, const struct mark *m)
{
    return answer_true(e, m->key) || answer_string(e, m->key)[0] != '\0';
}

static void
print_roofline_share(struct table *table, const cJSON *e)
{
    double share = answer_number(e, "limit_share");
    struct text32 text;
    struct buf cell = {0};

    buf_puts(&cell, isnan(share) ? "" : format_percent(&text, 100 * share));
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (is_marked(e, &marks[i]))
            buf_printf(&cell, " %s", marks[i].sign);
    table_cell(table, "%s", buf_str(&cell));
    buf_free(&cell);
}

/* Prints what the marks mean that the board has. */
static void
print_marks(const struct terminal *t, const cJSON *entries)
{
    const char *before = "\n";

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        bool any = false;
        const cJSON *e;

        cJSON_ArrayForEach(e, entries) any = any || is_marked(e, &marks[i]);
        if (!any)
            continue;
        terminal_print(t, STYLE_PLAIN, "%s", before);
        terminal_paragraph(t, STYLE_DIM, 0, "%s  %s", marks[i].sign, marks[i].meaning);
        before = "";
    }
}

void
rank_user_cell(struct table *table, const cJSON *e)
{
    const char *user = answer_string(e, "user"),
               *shown = answer_string(e, "display_name");

    if (shown[0] != '\0')
        table_cell(table, "%s \"%s\"", user, shown);
    else
        table_cell(table, "%s%s", user, answer_true(e, "house") ? " (house)" : "");
}

/* The interval of a time that has one, such as "6.60 to 6.70 µs". */
static void
print_interval(struct table *table, const cJSON *e, bool utf8)
{
    const double low = answer_number(e, "low_ns"), high = answer_number(e, "high_ns");
    struct text32 from, to;
    size_t len;

    if (!(low < high)) {
        table_cell(table, "%s", "");
        return;
    }
    format_time(&from, low, utf8);
    format_time(&to, high, utf8);
    len = strcspn(from.s, " ");
    if (strcmp(from.s + len, to.s + strcspn(to.s, " ")) == 0)
        from.s[len] = '\0';
    table_cell(table, "%s to %s", from.s, to.s);
}

enum entry_column {
    RANK,
    USER,
    TIME,
    INTERVAL,
    PERCENTILE,
    BANDWIDTH,
    FLOPS,
    ROOFLINE_SHARE,
    SUBMISSION,
    SINCE,
    COLUMN_COUNT
};

static struct table *
new_entry_table(void)
{
    static const struct column columns[COLUMN_COUNT] = {
        [RANK] = {"rank", true},
        [USER] = {"user", false},
        [TIME] = {"time", true},
        [INTERVAL] = {"interval", true},
        [PERCENTILE] = {"percentile", true},
        [BANDWIDTH] = {"GB/s", true},
        [FLOPS] = {"GFLOP/s", true},
        [ROOFLINE_SHARE] = {"of limit", true},
        [SUBMISSION] = {"submission", true},
        [SINCE] = {"since", false},
    };
    struct table *table = table_new(columns, COLUMN_COUNT);

    table_may_cut(table, USER, 16);
    table_may_leave(table, SINCE, 6);
    table_may_leave(table, FLOPS, 5);
    table_may_leave(table, BANDWIDTH, 4);
    table_may_leave(table, SUBMISSION, 3);
    table_may_leave(table, INTERVAL, 2);
    table_may_leave(table, PERCENTILE, 1);
    return table;
}

static void
print_entry(struct table *table, const cJSON *e, bool utf8)
{
    struct text32 text;

    table_cell(table, "%ld", answer_count(e, "rank"));
    rank_user_cell(table, e);
    table_cell(table, "%s", format_time(&text, answer_number(e, "time_ns"), utf8));
    print_interval(table, e, utf8);
    table_cell(table, "%s", format_percent(&text, answer_number(e, "percentile")));
    table_cell(table, "%s", format_rate(&text, answer_number(e, "bandwidth_gbs")));
    table_cell(table, "%s", format_rate(&text, answer_number(e, "gflops")));
    print_roofline_share(table, e);
    table_cell(table, "%ld", answer_count(e, "submission"));
    table_cell(table, "%s", format_date(&text, answer_number(e, "created_ms")));
}

/* The baselines stand between the entries. Those behind the page's last entry are on the
 * last page, and those before its first one on the first page. */
static void
print_entries(const struct terminal *t, const cJSON *board, const char *me)
{
    const cJSON *entries = answer_array(board, "entries"), *e;
    const cJSON *baselines = answer_array(board, "baselines");
    const cJSON *baseline = baselines != NULL ? baselines->child : NULL;
    struct table *table = new_entry_table();

    if (answer_count(board, "first") > 1 && entries != NULL)
        while (baseline != NULL && answer_number(baseline, "time_ns") <
                                       answer_number(entries->child, "time_ns"))
            baseline = baseline->next;
    cJSON_ArrayForEach(e, entries)
    {
        rank_baseline_rows(table, &baseline, answer_number(e, "time_ns"), t->utf8);
        table_row(table,
                  strcmp(answer_string(e, "user"), me) == 0 ? STYLE_BOLD : STYLE_PLAIN);
        print_entry(table, e, t->utf8);
    }
    if (!rank_has_more(board))
        rank_baseline_rows(table, &baseline, (double)INFINITY, t->utf8);
    table_print(table, t);
    table_free(table);
}

/* Prints what board it is. On a terminal where that is too long for a line, the notes
 * have lines of their own. */
static void
print_board_head(const struct terminal *t, const cJSON *board)
{
    const char *title = answer_string(board, "title");
    const char *sizes = answer_string(board, "sizes");
    struct buf rest = {0}, notes = {0};

    buf_printf(&rest, " on %s%s%s%s%s", answer_string(board, "board"),
               sizes[0] != '\0' ? ", " : "", sizes,
               answer_string(board, "group")[0] != '\0' ? ", among " : "",
               answer_string(board, "group"));
    if (cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(board, "current")))
        buf_puts(&notes, "  of before the board began anew");
    if (answer_true(board, "modelled"))
        buf_puts(&notes, "  times are modelled, not measured");
    terminal_print(t, STYLE_BOLD, "%s", title);
    if (!t->cut ||
        text_width(title) + text_width(buf_str(&rest)) + text_width(buf_str(&notes)) <=
            t->width) {
        terminal_print(t, STYLE_PLAIN, "%s", buf_str(&rest));
        terminal_print(t, STYLE_WARN, "%s", buf_str(&notes));
        terminal_print(t, STYLE_PLAIN, "\n\n");
    } else {
        terminal_print(t, STYLE_PLAIN, "\n");
        terminal_paragraph(t, STYLE_PLAIN, 0, "%s", buf_str(&rest));
        terminal_paragraph(t, STYLE_WARN, 0, "%s", buf_str(&notes));
        terminal_print(t, STYLE_PLAIN, "\n");
    }
    buf_free(&rest);
    buf_free(&notes);
}

/* Prints how many entries belong to what the problem was before. */
static void
print_older_count(const struct terminal *t, const cJSON *board)
{
    const cJSON *b;
    long entries = 0;

    cJSON_ArrayForEach(b, answer_array(board, "older")) entries +=
        answer_count(b, "entries");
    if (entries == 0)
        return;
    terminal_print(t, STYLE_PLAIN, "\n");
    terminal_paragraph(t, STYLE_DIM, 0,
                       "%ld %s of before the board began anew: `warpjudge rank %s "
                       "--older`",
                       entries, entries == 1 ? "entry" : "entries",
                       answer_string(board, "problem"));
}

void
rank_print_more(const struct terminal *t, const cJSON *list, const struct rank_page *page)
{
    const long first = answer_count(list, "first"), total = answer_count(list, "total");
    const long rows = cJSON_GetArraySize(answer_array(list, "entries"));
    const bool more = rank_has_more(list);
    struct buf next = {0};

    if (!more && first <= 1)
        return;
    if (page->around == NULL && more)
        buf_printf(&next, "`--page %ld`, ", page->number + 1);
    terminal_print(t, STYLE_PLAIN, "\n");
    if (rows == 0)
        terminal_paragraph(t, STYLE_DIM, 0, "there is no page %ld: all %ld are before it",
                           page->number, total);
    else
        terminal_paragraph(t, STYLE_DIM, 0,
                           "%ld to %ld of %ld: %s`--around NAME` and `-n` show others",
                           first, first + rows - 1, total, buf_str(&next));
    buf_free(&next);
}

static const cJSON *
find_entry(const cJSON *entries, const char *user)
{
    const cJSON *e;

    cJSON_ArrayForEach(e,
                       entries) if (strcmp(answer_string(e, "user"), user) == 0) return e;
    return NULL;
}

/* Says where the user stands whose entry is not among those that are shown. */
static void
print_own_place(const struct terminal *t, const cJSON *own, long total)
{
    struct text32 rank, time;

    terminal_paragraph(t, STYLE_BOLD, 0, "%s is %s of %ld with %s: `--around %s`",
                       answer_string(own, "user"),
                       format_ordinal(&rank, answer_count(own, "rank")), total,
                       format_time(&time, answer_number(own, "time_ns"), t->utf8),
                       answer_string(own, "user"));
}

/* Prints the entries and the histogram. The user's own entry is asked for where the page
 * does not have it. */
static void
print_page(struct cli *cli, const cJSON *board, const struct rank_page *page)
{
    const struct terminal *t = &cli->out;
    const cJSON *entries = answer_array(board, "entries"), *own;
    const char *me = page->around != NULL ? page->around : cli_user(cli);
    const long total = answer_count(board, "total");
    cJSON *mine = NULL;

    own = find_entry(entries, me);
    if (own == NULL && total > cJSON_GetArraySize(entries)) {
        mine = rank_get_own_entry(cli, answer_string(board, "meaning"), me);
        own = find_entry(answer_array(mine, "entries"), me);
    }
    print_entries(t, board, me);
    rank_print_more(t, board, page);
    if (mine != NULL && own != NULL)
        print_own_place(t, own, total);
    print_marks(t, entries);
    rank_print_baselines(t, board);
    rank_print_histogram(t, answer_array(board, "histogram"),
                         answer_number(own, "time_ns"));
    cJSON_Delete(mine);
}

void
rank_print_board(struct cli *cli, const cJSON *board, const struct rank_page *page)
{
    const cJSON *entries = answer_array(board, "entries");
    const struct terminal *t = &cli->out;

    print_board_head(t, board);
    if (cJSON_GetArraySize(entries) == 0 && answer_count(board, "total") > 0) {
        rank_print_more(t, board, page);
    } else if (cJSON_GetArraySize(entries) == 0 &&
               answer_string(board, "refused")[0] != '\0') {
        terminal_paragraph(t, STYLE_PLAIN, 0, "nobody is on this board: %s",
                           answer_string(board, "refused"));
    } else if (cJSON_GetArraySize(entries) == 0) {
        terminal_paragraph(
            t, STYLE_PLAIN, 0,
            "nobody is on this board yet: `warpjudge submit -p %s FILE.cu`",
            answer_string(board, "problem"));
    } else {
        print_page(cli, board, page);
    }
    if (cJSON_GetArraySize(entries) == 0)
        rank_print_baselines(t, board);
    house_marks_print(t, board);
    print_older_count(t, board);
}

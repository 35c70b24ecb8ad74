/* How the times of a board are spread, as bars. */
#include "cli/rank.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/format.h"
#include "cli/table.h"

#define BAR_COLUMNS 32
#define BAR_COLUMNS_LEAST 8
/* What stands beside a bar: two times, the gaps, a count and the mark. */
#define OTHER_COLUMNS 48

/* Does the bucket have this time? The last one also has its upper end (record/rank.h). */
static bool
bucket_has(const cJSON *bucket, double ns)
{
    const double to = answer_number(bucket, "to_ns");

    return ns >= answer_number(bucket, "from_ns") &&
           (ns < to || (bucket->next == NULL && ns <= to));
}

static int
bar_columns(const struct terminal *t)
{
    const int left = t->width - OTHER_COLUMNS;

    if (!t->cut || left > BAR_COLUMNS)
        return BAR_COLUMNS;
    return left > BAR_COLUMNS_LEAST ? left : BAR_COLUMNS_LEAST;
}

static void
print_bucket(struct table *table, const cJSON *bucket, long most, bool here,
             const struct terminal *t)
{
    const long count = answer_count(bucket, "count");
    struct text32 text;
    struct buf bar = {0};

    format_bar(&bar, (double)count / (double)most, bar_columns(t), t->utf8);
    table_row(table, here ? STYLE_BOLD : STYLE_PLAIN);
    table_cell(table, "%s",
               format_time(&text, answer_number(bucket, "from_ns"), t->utf8));
    table_cell(table, "%s", format_time(&text, answer_number(bucket, "to_ns"), t->utf8));
    table_cell(table, "%s%s%ld%s%s", buf_str(&bar), count > 0 ? " " : "", count,
               here ? "  " : "",
               !here     ? ""
               : t->utf8 ? "\u2190 you are here"
                         : "<- you are here");
    buf_free(&bar);
}

void
rank_print_histogram(const struct terminal *t, const cJSON *histogram, double own_ns)
{
    static const struct column columns[] = {
        {"from", true}, {"to", true}, {"entries", false}};
    struct table *table;
    const cJSON *bucket;
    long most = 0;

    cJSON_ArrayForEach(bucket, histogram) most =
        answer_count(bucket, "count") > most ? answer_count(bucket, "count") : most;
    if (most == 0 || cJSON_GetArraySize(histogram) < 2)
        return;
    table = table_new(columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(bucket, histogram)
        print_bucket(table, bucket, most, bucket_has(bucket, own_ns), t);
    terminal_print(t, STYLE_PLAIN, "\n");
    table_print(table, t);
    table_free(table);
}

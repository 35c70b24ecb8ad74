/* `report`: what a file of graded lines comes to (docs/grading.md). It asks no judge. */
#include "base/file.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/figures.h"
#include "cli/format.h"
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
cell_share(struct table *table, const cJSON *row, const char *key)
{
    const double value = answer_number(row, key);

    if (isfinite(value))
        table_cell(table, "%.3f", value);
    else
        table_cell(table, "%s", "");
}

static void
cell_interval(struct table *table, const struct terminal *t, const cJSON *row, bool ratio)
{
    const double low = answer_number(row, ratio ? "ratio_low" : "low_ns"),
                 high = answer_number(row, ratio ? "ratio_high" : "high_ns");
    struct text32 from, to;

    if (!isfinite(low) || !isfinite(high))
        table_cell(table, "%s", "");
    else if (ratio)
        table_cell(table, "%s to %s", format_rate(&from, low), format_rate(&to, high));
    else
        table_cell(table, "%s to %s", format_time(&from, low, t->utf8),
                   format_time(&to, high, t->utf8));
}

static void
report_add_row(struct table *table, const struct terminal *t, const cJSON *row)
{
    const char *group = answer_string(row, "group");
    const double time = answer_number(row, "time_ns"),
                 ratio = answer_number(row, "ratio");
    struct text32 text;

    table_row(table, strcmp(group, "all") == 0 ? STYLE_BOLD : STYLE_PLAIN);
    table_cell(table, "%s", group);
    table_cell(table, "%s", answer_string(row, "name"));
    table_cell(table, "%ld", answer_count(row, "lines"));
    table_cell(table, "%ld", answer_count(row, "passed"));
    cell_share(table, row, "pass@1");
    cell_share(table, row, "pass@5");
    cell_share(table, row, "pass@10");
    cell_share(table, row, "pass@100");
    cell_share(table, row, "fast_1");
    cell_share(table, row, "fast_2");
    cell_share(table, row, "surely_faster");
    table_cell(table, "%s", time > 0 ? format_time(&text, time, t->utf8) : "");
    cell_interval(table, t, row, false);
    table_cell(table, "%s", ratio > 0 ? format_rate(&text, ratio) : "");
    cell_interval(table, t, row, true);
}

static void
report_print_table(const struct terminal *t, const struct figures *f)
{
    static const struct column columns[] = {
        {"by", false},    {"name", false},  {"lines", true},  {"pass", true},
        {"pass@1", true}, {"pass@5", true}, {"@10", true},    {"@100", true},
        {"fast_1", true}, {"fast_2", true}, {"surely", true}, {"median", true},
        {"of", true},     {"ratio", true},  {"of", true}};
    cJSON *rows = figures_rows(f), *verdicts = figures_verdicts(f);
    const cJSON *row;
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);

    table_may_cut(table, 1, 12);
    for (int i = 0; i < 4; i++)
        table_may_leave(table, 14 - i, 4 - i);
    terminal_print(t, STYLE_PLAIN, "%zu lines were judged", f->count);
    cJSON_ArrayForEach(row, verdicts)
    {
        terminal_print(t, STYLE_PLAIN, "%s %s at %s %ld",
                       row == verdicts->child ? ":" : ",", answer_string(row, "verdict"),
                       answer_string(row, "stage"), answer_count(row, "lines"));
    }
    terminal_print(t, STYLE_PLAIN, "\n%ld could not be read, %ld say nothing\n",
                   f->errors, f->failures);
    if (f->disagreements > 0)
        terminal_print(t, STYLE_WARN, "on %ld emu and the GPU say another thing\n",
                       f->disagreements);
    if (f->baseline[0] != '\0')
        terminal_print(t, STYLE_PLAIN, "ratios are to the baseline %s\n", f->baseline);
    terminal_print(t, STYLE_PLAIN, "\n");
    cJSON_ArrayForEach(row, rows)
    {
        report_add_row(table, t, row);
    }
    table_print(table, t);
    table_free(table);
    cJSON_Delete(rows);
    cJSON_Delete(verdicts);
}

static void
report_print_json(struct cli *cli, const struct figures *f)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "lines", (double)f->count);
    cJSON_AddNumberToObject(o, "errors", (double)f->errors);
    cJSON_AddNumberToObject(o, "failures", (double)f->failures);
    cJSON_AddNumberToObject(o, "cached", (double)f->cached);
    cJSON_AddNumberToObject(o, "disagreements", (double)f->disagreements);
    cJSON_AddStringToObject(o, "baseline", f->baseline);
    cJSON_AddStringToObject(o, "board", f->board);
    cJSON_AddItemToObject(o, "verdicts", figures_verdicts(f));
    cJSON_AddItemToObject(o, "rows", figures_rows(f));
    cli_print_json(cli, o);
    cJSON_Delete(o);
}

static int
report_write_html(struct cli *cli, const struct figures *f, const char *path)
{
    char *text = figures_html(f, "Graded kernels");
    const int rc = file_write(path, text, strlen(text), &cli->report);

    free(text);
    return rc == 0 ? 0 : EXIT_JUDGE_FAILED;
}

static int
report_verb(struct cli *cli)
{
    const char *const *flag = cli->args.flag;
    struct figures f;
    int status = 0;

    if (figures_read(cli->args.positional[1], flag[FLAG_BASELINE], &f, &cli->report) != 0)
        status = EXIT_BAD_INPUT;
    if (status == 0 && flag[FLAG_HTML] != NULL)
        status = report_write_html(cli, &f, flag[FLAG_HTML]);
    if (status == 0 && flag[FLAG_JSON] != NULL) {
        report_print_json(cli, &f);
    } else if (status == 0 && flag[FLAG_CSV] != NULL) {
        cJSON *rows = figures_rows(&f);

        csv_print(cli->out.file, figures_keys(), rows);
        cJSON_Delete(rows);
    } else if (status == 0 && flag[FLAG_HTML] == NULL) {
        report_print_table(&cli->out, &f);
    }
    figures_free(&f);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_BASELINE, "compare with this one, as it is called in the file"},
    {FLAG_CSV, "one row for each group, as CSV"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {FLAG_HTML, "write one page with plots, which needs nothing else"},
    {0, NULL},
};

const struct verb verb_report = {
    .name = "report",
    .arguments = "OUT.jsonl",
    .summary = "what graded kernels come to: pass@k, fast_p, medians",
    .about =
        "Reads what `warpjudge grade` wrote, also while it is written, and shows for "
        "all\n"
        "lines, and by problem, difficulty and tag: pass@k, the share that is faster "
        "than "
        "a\n"
        "baseline by more than a factor, and medians with their 95% intervals.\n"
        "docs/grading.md says what each figure means. The baseline is the one that most\n"
        "lines have, or that of --baseline.",
    .example = "  warpjudge report out.jsonl\n"
               "  warpjudge report out.jsonl --html out.html\n",
    .flags = flags,
    .kind = VERB_LOCAL,
    .least = 1,
    .most = 1,
    .missing = "name the file of results, as in `warpjudge report out.jsonl`",
    .run = report_verb,
};

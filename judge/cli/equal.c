/* Prints who has sent equal work. The words accuse nobody: work may be equal because the
 * problem leaves little choice, or because people have learnt from one page. */
#include "cli/equal.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/csv.h"
#include "cli/format.h"
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 50
#define LIMIT_MOST 1000
#define NAMES_SHOWN 3

/* "96 tokens" of a source, "24 statements" of PTX. */
static const char *
size_text(struct text32 *out, const cJSON *work, const char *kind)
{
    return format_plural(out, answer_count(work, "size"),
                         strcmp(kind, "ptx") == 0 ? "statement" : "token");
}

/* Adds "ben (submission 3), cai (submission 7) and 2 others". */
static void
add_people(struct buf *out, const cJSON *work)
{
    const cJSON *people = answer_array(work, "people"), *p;
    const int count = cJSON_GetArraySize(people);
    const int shown = count <= NAMES_SHOWN + 1 ? count : NAMES_SHOWN;
    const bool others = count > shown || answer_true(work, "more");
    struct text32 text;
    int i = 0;

    cJSON_ArrayForEach(p, people)
    {
        if (i == shown)
            break;
        if (i > 0)
            buf_puts(out, i == shown - 1 && !others ? " and " : ", ");
        buf_printf(out, "%s (submission %ld)", answer_string(p, "user"),
                   answer_count(p, "submission"));
        i++;
    }
    if (answer_true(work, "more"))
        buf_puts(out, " and many others");
    else if (others)
        buf_printf(out, " and %s", format_plural(&text, count - shown, "other"));
}

static void
print_work(const struct terminal *t, const cJSON *equal, const char *kind)
{
    const cJSON *work = cJSON_GetObjectItemCaseSensitive(equal, kind);
    struct buf text = {0};
    struct text32 size;

    if (cJSON_GetArraySize(answer_array(work, "people")) == 0)
        return;
    buf_printf(&text, "equal: the same %s (%s%s) as ",
               strcmp(kind, "ptx") == 0 ? "PTX" : "source", size_text(&size, work, kind),
               strcmp(kind, "ptx") == 0 ? "" : ", names left aside");
    add_people(&text, work);
    terminal_paragraph(t, STYLE_WARN, 0, "%s", buf_str(&text));
    buf_free(&text);
}

void
equal_print(const struct terminal *t, const cJSON *submission)
{
    const cJSON *equal = cJSON_GetObjectItemCaseSensitive(submission, "equal");
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(equal, "source");
    const char *solution = answer_string(source, "solution");

    if (equal == NULL)
        return;
    if (cJSON_IsNull(equal))
        terminal_paragraph(t, STYLE_DIM, 0,
                           "equal: not known, for no digest was taken of it");
    else if (answer_true(equal, "starter"))
        terminal_paragraph(t, STYLE_DIM, 0,
                           "equal: what solve() needs is the problem's starter");
    if (solution[0] != '\0')
        terminal_paragraph(t, STYLE_WARN, 0,
                           "equal: the same source as the judge's solution %s", solution);
    print_work(t, equal, "source");
    if (!cJSON_Compare(
            answer_array(source, "people"),
            answer_array(cJSON_GetObjectItemCaseSensitive(equal, "ptx"), "people"), true))
        print_work(t, equal, "ptx");
}

/* --- all of it ------------------------------------------------------------ */

/* A row for each person of each work. */
static void
print_csv(struct cli *cli, const cJSON *works)
{
    static const char *const KEYS[] = {
        "id",   "problem",      "kind",       "size",       "solution",
        "user", "display_name", "submission", "created_ms", NULL};
    cJSON *rows = cJSON_CreateArray();
    const cJSON *work, *person;

    cJSON_ArrayForEach(work, works)
        cJSON_ArrayForEach(person, answer_array(work, "people"))
    {
        cJSON *row = cJSON_Duplicate(person, true);
        const char *solution = answer_string(work, "solution");

        cJSON_AddNumberToObject(row, "id", answer_number(work, "id"));
        cJSON_AddStringToObject(row, "problem", answer_string(work, "problem"));
        cJSON_AddStringToObject(row, "kind", answer_string(work, "kind"));
        cJSON_AddNumberToObject(row, "size", answer_number(work, "size"));
        if (solution[0] != '\0')
            cJSON_AddStringToObject(row, "solution", solution);
        cJSON_AddItemToArray(rows, row);
    }
    csv_print(cli->out.file, KEYS, rows);
    cJSON_Delete(rows);
}

static void
print_people(const struct terminal *t, const cJSON *work)
{
    static const struct column columns[] = {
        {"  user", false}, {"submission", true}, {"sent", false}, {"", false}};
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    const cJSON *people = answer_array(work, "people"), *p;
    struct text32 date;

    table_may_leave(table, 2, 1);
    cJSON_ArrayForEach(p, people)
    {
        const char *shown = answer_string(p, "display_name");

        table_row(table, STYLE_PLAIN);
        table_cell(table, "  %s%s%s%s", answer_string(p, "user"),
                   shown[0] != '\0' ? " \"" : "", shown, shown[0] != '\0' ? "\"" : "");
        table_cell(table, "%ld", answer_count(p, "submission"));
        table_cell(table, "%s", format_date(&date, answer_number(p, "created_ms")));
        table_cell(table, "%s", p == people->child ? "first" : "");
    }
    table_print(table, t);
    table_free(table);
}

static void
print_works(struct cli *cli, const cJSON *works)
{
    const struct terminal *t = &cli->out;
    const cJSON *work;

    cJSON_ArrayForEach(work, works)
    {
        const char *kind = answer_string(work, "kind");
        const char *solution = answer_string(work, "solution");
        struct text32 size;

        terminal_paragraph(
            t, STYLE_BOLD, 0, "%s: the same %s, %s%s%s", answer_string(work, "problem"),
            strcmp(kind, "ptx") == 0 ? "PTX" : "source", size_text(&size, work, kind),
            solution[0] != '\0' ? "; the judge's solution " : "", solution);
        print_people(t, work);
        if (answer_true(work, "more"))
            terminal_paragraph(t, STYLE_PLAIN, 2, "and others with younger accounts");
        terminal_print(t, STYLE_PLAIN, "\n");
    }
    if (cJSON_GetArraySize(works) == 0)
        terminal_print(t, STYLE_PLAIN, "no two people have sent equal work\n");
    else
        terminal_paragraph(
            t, STYLE_DIM, 0,
            "Equal work need not be copied: where a problem leaves little choice, many "
            "write the same, and a small kernel has the same PTX from everybody.");
}

/* Leaves the first `limit` works. A page of the API's may have fewer than were asked for,
 * because it counts those that are not told. */
static void
cut_works(cJSON *answer, long limit)
{
    cJSON *works = cJSON_GetObjectItemCaseSensitive(answer, "equal");

    while (cJSON_GetArraySize(works) > limit)
        cJSON_DeleteItemFromArray(works, (int)limit);
}

int
equal_list(struct cli *cli)
{
    const char *slug = cli->args.flag[FLAG_PROBLEM];
    long limit = LIMIT_DEFAULT;
    cJSON *answer = NULL;
    char *problem, *path;
    int status;

    if (cli->args.flag[FLAG_LIMIT] != NULL &&
        args_number(&cli->args, FLAG_LIMIT, LIMIT_MOST, &limit, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    status = cli_connect(cli);
    if (status != 0)
        return status;
    problem = client_escape(slug != NULL ? slug : "");
    path = xasprintf("/api/equal?limit=%d%s%s", LIMIT_MOST,
                     slug != NULL ? "&problem=" : "", problem);
    status = client_exit_status(client_get(cli->client, path, &answer, &cli->report));
    free(path);
    free(problem);
    cut_works(answer, limit);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0 && cli->args.flag[FLAG_CSV] != NULL)
        print_csv(cli, answer_array(answer, "equal"));
    else if (status == 0)
        print_works(cli, answer_array(answer, "equal"));
    cJSON_Delete(answer);
    return status;
}

/* `rank --all`: the standing over all problems as a table. */
#include "cli/rank.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/csv.h"
#include "cli/format.h"
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

enum standing_column { RANK, USER, POINTS, SOLVED, EASY, MEDIUM, HARD, FASTEST, COUNT };

static void
print_rows(const struct terminal *t, const cJSON *entries, const char *me)
{
    static const struct column columns[COUNT] = {
        [RANK] = {"rank", true},     [USER] = {"user", false},
        [POINTS] = {"points", true}, [SOLVED] = {"solved", true},
        [EASY] = {"easy", true},     [MEDIUM] = {"medium", true},
        [HARD] = {"hard", true},     [FASTEST] = {"fastest", true},
    };
    struct table *table = table_new(columns, COUNT);
    const cJSON *e;

    table_may_cut(table, USER, 16);
    table_may_leave(table, EASY, 4);
    table_may_leave(table, MEDIUM, 3);
    table_may_leave(table, HARD, 2);
    table_may_leave(table, FASTEST, 1);
    cJSON_ArrayForEach(e, entries)
    {
        table_row(table,
                  strcmp(answer_string(e, "user"), me) == 0 ? STYLE_BOLD : STYLE_PLAIN);
        table_cell(table, "%ld", answer_count(e, "rank"));
        rank_user_cell(table, e);
        table_cell(table, "%.1f", answer_number(e, "points"));
        table_cell(table, "%ld", answer_count(e, "solved"));
        table_cell(table, "%ld", answer_count(e, "easy"));
        table_cell(table, "%ld", answer_count(e, "medium"));
        table_cell(table, "%ld", answer_count(e, "hard"));
        table_cell(table, "%ld", answer_count(e, "fastest"));
    }
    table_print(table, t);
    table_free(table);
}

static void
print_standing(struct cli *cli, const cJSON *standing, const struct rank_page *page)
{
    const struct terminal *t = &cli->out;
    const cJSON *entries = answer_array(standing, "entries");
    const char *me = page->around != NULL ? page->around : cli_user(cli);

    terminal_print(t, STYLE_BOLD, "All problems");
    terminal_print(t, STYLE_PLAIN, " on %s\n\n", answer_string(standing, "board"));
    if (answer_count(standing, "total") == 0)
        terminal_paragraph(t, STYLE_PLAIN, 0,
                           "nobody has solved a problem there yet: `warpjudge submit "
                           "FILE.cu`");
    else if (cJSON_GetArraySize(entries) > 0)
        print_rows(t, entries, me);
    rank_print_more(t, standing, page);
    terminal_print(t, STYLE_PLAIN, "\n");
    terminal_paragraph(t, STYLE_DIM, 0, "%s", answer_string(standing, "rule"));
}

int
rank_all(struct cli *cli)
{
    static const char *const KEYS[] = {"rank",    "user", "display_name", "points",
                                       "solved",  "easy", "medium",       "hard",
                                       "fastest", NULL};
    const char *device = cli->args.flag[FLAG_DEVICE];
    char *name = client_escape(device != NULL ? device : "");
    char *path = xasprintf("/api/standings?device=%s", name);
    struct rank_page page;
    cJSON *standing = NULL;
    int status = rank_take_page(cli, &page);

    /* A script gets as many rows as an answer has at most. */
    if (status == 0 && page.rows == 0)
        page.rows = RANK_ROWS_MOST;
    if (status == 0)
        status = rank_get_page(cli, path, &page, &standing);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, standing);
    else if (status == 0 && cli->args.flag[FLAG_CSV] != NULL)
        csv_print(cli->out.file, KEYS, answer_array(standing, "entries"));
    else if (status == 0)
        print_standing(cli, standing, &page);
    cJSON_Delete(standing);
    free(path);
    free(name);
    return status;
}

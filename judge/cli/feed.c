/* `feed`: who has improved a board and overtaken whom, the newest first. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/csv.h"
#include "cli/format.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 20
#define LIMIT_MOST 1000
#define INDENT 2

/* Adds a name, with the display name in quotation marks. */
static void
add_name(struct buf *out, const cJSON *who)
{
    const char *shown = answer_string(who, "display_name");

    buf_puts(out, answer_string(who, "user"));
    if (shown[0] != '\0')
        buf_printf(out, " \"%s\"", shown);
}

/* Adds who was overtaken: "overtakes ben and 2 others on", or what happened instead. */
static void
add_deed(struct buf *out, const cJSON *move, const cJSON *change)
{
    const cJSON *first = answer_array(move, "overtaken")->child;
    const long others = answer_count(change, "passed") - 1;
    const bool is_new = answer_count(change, "rank_before") == 0;
    struct text32 text;

    if (first == NULL) {
        buf_puts(out, is_new ? " is new on " : " gets faster on ");
        return;
    }
    buf_puts(out, is_new ? " is new and ahead of " : " overtakes ");
    add_name(out, first);
    if (others > 0)
        buf_printf(out, " and %s", format_plural(&text, others, "other"));
    buf_puts(out, " on ");
}

/* Adds by how much: compared with the fastest who was overtaken, or else with before. */
static void
add_gain(struct buf *out, const cJSON *move, const cJSON *change)
{
    const cJSON *first = answer_array(move, "overtaken")->child;
    const double speedup = answer_number(first != NULL ? first : change, "speedup");
    struct text32 text;

    if (first == NULL && answer_count(change, "rank_before") == 0)
        return;
    if (speedup < SPEEDUP_SHOWN)
        buf_puts(out, ", less than 1 % faster than ");
    else
        buf_printf(out, ", %sx faster than ", format_rate(&text, speedup));
    if (first != NULL)
        add_name(out, first);
    else
        buf_puts(out, "before");
}

static void
add_places(struct buf *out, const cJSON *change)
{
    const long before = answer_count(change, "rank_before"),
               rank = answer_count(change, "rank");
    struct text32 text;

    if (before == rank)
        buf_puts(out, "still ");
    else if (before > 0)
        buf_printf(out, "from %s to ", format_ordinal(&text, before));
    buf_printf(out, "%s of %ld", format_ordinal(&text, rank),
               answer_count(change, "entries"));
}

static void
print_move(const struct terminal *t, const cJSON *move)
{
    const cJSON *change = cJSON_GetObjectItemCaseSensitive(move, "change");
    struct buf text = {0};
    struct text32 date, time;

    add_name(&text, move);
    add_deed(&text, move, change);
    buf_printf(&text, "%s (%s): ", answer_string(move, "problem"),
               answer_string(move, "board"));
    add_places(&text, change);
    buf_printf(&text, ", %s",
               format_time(&time, answer_number(move, "time_ns"), t->utf8));
    add_gain(&text, move, change);
    terminal_print(t, STYLE_DIM, "%s\n",
                   format_date(&date, answer_number(move, "made_ms")));
    terminal_paragraph(t, STYLE_PLAIN, INDENT, "%s", buf_str(&text));
    buf_free(&text);
}

/* A row for each move, with the fastest who was overtaken. */
static void
print_csv(struct cli *cli, const cJSON *feed)
{
    static const char *const KEYS[] = {
        "made_ms", "user",         "problem",           "board", "submission",
        "time_ns", "best_time_ns", "rank_before",       "rank",  "entries",
        "passed",  "overtaken",    "overtaken_time_ns", NULL};
    cJSON *rows = cJSON_Duplicate(feed, true), *row;

    cJSON_ArrayForEach(row, rows)
    {
        cJSON *change = cJSON_DetachItemFromObjectCaseSensitive(row, "change"),
              *list = cJSON_DetachItemFromObjectCaseSensitive(row, "overtaken");
        const cJSON *first = list != NULL ? list->child : NULL;

        for (cJSON *item; change != NULL && (item = change->child) != NULL;)
            cJSON_AddItemToObject(row, item->string,
                                  cJSON_DetachItemViaPointer(change, item));
        if (first != NULL) {
            cJSON_AddStringToObject(row, "overtaken", answer_string(first, "user"));
            cJSON_AddNumberToObject(row, "overtaken_time_ns",
                                    answer_number(first, "time_ns"));
        }
        cJSON_Delete(change);
        cJSON_Delete(list);
    }
    csv_print(cli->out.file, KEYS, rows);
    cJSON_Delete(rows);
}

static void
print_feed(struct cli *cli, const cJSON *feed)
{
    const cJSON *move;

    cJSON_ArrayForEach(move, feed) print_move(&cli->out, move);
    if (cJSON_GetArraySize(feed) == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "no board has changed yet\n");
}

static int
feed_verb(struct cli *cli)
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
    path = xasprintf("/api/feed?limit=%ld%s%s", limit, slug != NULL ? "&problem=" : "",
                     problem);
    status = client_exit_status(client_get(cli->client, path, &answer, &cli->report));
    free(path);
    free(problem);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0 && cli->args.flag[FLAG_CSV] != NULL)
        print_csv(cli, answer_array(answer, "feed"));
    else if (status == 0)
        print_feed(cli, answer_array(answer, "feed"));
    cJSON_Delete(answer);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_PROBLEM, "only this problem's boards"},
    {FLAG_LIMIT, "how many at most, from 1 to 1000; otherwise 20"},
    {FLAG_JSON, "the list as one JSON object"},
    {FLAG_CSV, "the list as CSV, with the fastest of those who were overtaken"},
    {0, NULL},
};

const struct verb verb_feed = {
    .name = "feed",
    .arguments = "",
    .summary = "tell who has overtaken whom, newest first",
    .about =
        "Tells which submissions have improved a board: who has overtaken whom, and by "
        "how\n"
        "much, as it was when the result came. Boards that have begun anew since are "
        "left\n"
        "out.",
    .example = "  warpjudge feed\n"
               "  warpjudge feed -p softmax -n 5\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .run = feed_verb,
};

/* `user`: what somebody has solved, a year's calendar, the streak, the best places. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/calendar.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/csv.h"
#include "cli/format.h"
#include "cli/table.h"
#include "cli/text.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_SHOWN 10
#define BAR_COLUMNS 24
#define WIDTH_MOST 90 /* longer lines are hard to read */

static void
print_user_head(const struct terminal *t, const cJSON *user)
{
    const cJSON *solved = cJSON_GetObjectItemCaseSensitive(user, "solved"),
                *streak = cJSON_GetObjectItemCaseSensitive(user, "streak");
    const char *shown = answer_string(user, "display_name");
    struct text32 days, longest;

    terminal_print(t, STYLE_BOLD, "%s", answer_string(user, "user"));
    if (shown[0] != '\0')
        terminal_print(t, STYLE_PLAIN, " \"%s\"", shown);
    terminal_print(t, STYLE_PLAIN, "  %ld of %ld problems solved\n",
                   answer_count(solved, "count"), answer_count(solved, "of"));
    if (answer_count(streak, "longest") > 0)
        terminal_print(t, STYLE_PLAIN, "a streak of %s; the longest was %s\n",
                       format_plural(&days, answer_count(streak, "days"), "day"),
                       format_plural(&longest, answer_count(streak, "longest"), "day"));
}

static void
print_difficulties(const struct terminal *t, const cJSON *list)
{
    static const struct column columns[] = {
        {"difficulty", false}, {"solved", true}, {"of", true}, {"", false}};
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    const cJSON *d;

    cJSON_ArrayForEach(d, list)
    {
        const long solved = answer_count(d, "solved"), of = answer_count(d, "of");
        struct buf bar = {0};

        format_bar(&bar, of > 0 ? (double)solved / (double)of : 0, BAR_COLUMNS, t->utf8);
        table_row(table, STYLE_PLAIN);
        table_cell(table, "%s", answer_string(d, "name"));
        table_cell(table, "%ld", solved);
        table_cell(table, "%ld", of);
        table_cell(table, "%s", buf_str(&bar));
        buf_free(&bar);
    }
    terminal_print(t, STYLE_PLAIN, "\n");
    table_print(table, t);
    table_free(table);
}

/* Prints the tags of which something is solved, in lines. */
static void
print_tags(const struct terminal *t, const cJSON *list)
{
    struct buf text = {0}, lines = {0};
    const cJSON *tag;

    cJSON_ArrayForEach(tag, list) if (answer_count(tag, "solved") > 0)
        buf_printf(&text, "%s%s %ld of %ld",
                   text.len > 0 ? ", " : "tags: ", answer_string(tag, "name"),
                   answer_count(tag, "solved"), answer_count(tag, "of"));
    text_wrap(&lines, buf_str(&text), 0, t->width < WIDTH_MOST ? t->width : WIDTH_MOST);
    if (lines.len > 0)
        terminal_print(t, STYLE_PLAIN, "\n%s", buf_str(&lines));
    buf_free(&text);
    buf_free(&lines);
}

/* --- places ------------------------------------------------------------- */

struct shown_place {
    const cJSON *problem, *place;
    double behind; /* the share of the whole board that stands behind it, in percent */
};

/* The better one first: to be 2nd of 31 is better than to be 1st of 1. */
static int
compare_places(const void *a, const void *b)
{
    const struct shown_place *one = a, *other = b;

    if (one->behind != other->behind)
        return one->behind < other->behind ? 1 : -1;
    return strcmp(answer_string(one->problem, "problem"),
                  answer_string(other->problem, "problem"));
}

/* All places, the best first; *count of them. The caller frees. */
static struct shown_place *
sorted_places(const cJSON *problems, size_t *count)
{
    struct shown_place *list = NULL;
    const cJSON *problem, *place;

    *count = 0;
    cJSON_ArrayForEach(problem, problems)
    {
        cJSON_ArrayForEach(place, answer_array(problem, "places"))
        {
            const double entries = (double)answer_count(place, "entries");

            list = xrealloc(list, (*count + 1) * sizeof *list);
            list[(*count)++] = (struct shown_place){problem, place,
                                                    answer_number(place, "percentile") *
                                                        (entries - 1) / entries};
        }
    }
    if (list != NULL)
        qsort(list, *count, sizeof *list, compare_places);
    return list;
}

static void
print_places(const struct terminal *t, const cJSON *problems)
{
    static const struct column columns[] = {
        {"place", true},  {"of", true},   {"percentile", true}, {"problem", false},
        {"board", false}, {"time", true}, {"submission", true}};
    struct table *table;
    size_t count;
    struct shown_place *list = sorted_places(problems, &count);

    if (count == 0)
        return;
    table = table_new(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && i < PLACES_SHOWN; i++) {
        const cJSON *place = list[i].place;
        struct text32 text;

        table_row(table, STYLE_PLAIN);
        table_cell(table, "%s", format_ordinal(&text, answer_count(place, "rank")));
        table_cell(table, "%ld", answer_count(place, "entries"));
        table_cell(table, "%s",
                   format_percent(&text, answer_number(place, "percentile")));
        table_cell(table, "%s", answer_string(list[i].problem, "problem"));
        table_cell(table, "%s", answer_string(place, "board"));
        table_cell(table, "%s",
                   format_time(&text, answer_number(place, "time_ns"), t->utf8));
        table_cell(table, "%ld", answer_count(place, "submission"));
    }
    terminal_print(t, STYLE_BOLD, "\nbest places\n");
    table_print(table, t);
    if (count > PLACES_SHOWN)
        terminal_print(t, STYLE_DIM, "(%d of %zu; --json and --csv have all of them)\n",
                       PLACES_SHOWN, count);
    table_free(table);
    free(list);
}

static void
print_user(const struct terminal *t, const cJSON *user)
{
    const cJSON *solved = cJSON_GetObjectItemCaseSensitive(user, "solved"),
                *calendar = cJSON_GetObjectItemCaseSensitive(user, "calendar");

    print_user_head(t, user);
    print_difficulties(t, answer_array(solved, "difficulties"));
    if (answer_count(solved, "count") == 0)
        return;
    print_tags(t, answer_array(solved, "tags"));
    calendar_print(t, answer_string(calendar, "from"),
                   answer_array(calendar, "accepted"));
    print_places(t, answer_array(user, "problems"));
}

/* A row for each place, and one for a problem without. The caller deletes. */
static cJSON *
user_rows(const cJSON *user)
{
    static const char *const OF_PLACE[] = {"board",   "rank",       "entries",   "ties",
                                           "time_ns", "percentile", "submission"};
    cJSON *rows = cJSON_CreateArray();
    const cJSON *problem;

    cJSON_ArrayForEach(problem, answer_array(user, "problems"))
    {
        const cJSON *place = answer_array(problem, "places")->child;

        do {
            cJSON *row = cJSON_CreateObject();

            cJSON_AddStringToObject(row, "problem", answer_string(problem, "problem"));
            cJSON_AddStringToObject(row, "difficulty",
                                    answer_string(problem, "difficulty"));
            for (size_t i = 0; i < sizeof OF_PLACE / sizeof *OF_PLACE; i++) {
                const cJSON *value = cJSON_GetObjectItemCaseSensitive(place, OF_PLACE[i]);

                if (value != NULL)
                    cJSON_AddItemToObject(row, OF_PLACE[i], cJSON_Duplicate(value, true));
            }
            cJSON_AddItemToArray(rows, row);
            place = place != NULL ? place->next : NULL;
        } while (place != NULL);
    }
    return rows;
}

static void
print_csv(struct cli *cli, const cJSON *user)
{
    static const char *const KEYS[] = {
        "problem", "difficulty", "board",   "rank",       "entries",
        "ties",    "percentile", "time_ns", "submission", NULL};
    cJSON *rows = user_rows(user);

    csv_print(cli->out.file, KEYS, rows);
    cJSON_Delete(rows);
}

static int
user_verb(struct cli *cli)
{
    cJSON *answer = NULL;
    char *name, *path;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    name = client_escape(cli->args.count > 1 ? cli->args.positional[1] : cli_user(cli));
    path = xasprintf("/api/users/%s", name);
    status = client_exit_status(client_get(cli->client, path, &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0 && cli->args.flag[FLAG_CSV] != NULL)
        print_csv(cli, answer);
    else if (status == 0)
        print_user(&cli->out, answer);
    cJSON_Delete(answer);
    free(path);
    free(name);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_USER, "your name, where NAME is not given"},
    {FLAG_JSON, "all of it as one JSON object"},
    {FLAG_CSV, "the solved problems and places as CSV"},
    {0, NULL},
};

const struct verb verb_user = {
    .name = "user",
    .arguments = "[NAME]",
    .summary = "show what somebody has solved, a calendar and the best places",
    .about =
        "Shows how many problems NAME, or you, have solved, by difficulty and by tag; "
        "on\n"
        "which days of the last year accepted submissions were sent; for how many days "
        "in a\n"
        "row; and the places on boards that leave most others behind. A streak lasts "
        "until\n"
        "a whole day has passed without an accepted submission. Days are UTC's. "
        "Everybody\n"
        "sees the same: what follows from boards.",
    .example = "  warpjudge user\n"
               "  warpjudge user ada --csv\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .most = 1,
    .run = user_verb,
};

/* `problems`: finds problems, and says how far one is with them. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/csv.h"
#include "cli/format.h"
#include "cli/problem_filter.h"
#include "cli/table.h"
#include "problem/names.h"

#include <stdlib.h>
#include <string.h>

/* --- for people --------------------------------------------------------- */

static bool
state_is(const cJSON *problem, const char *state)
{
    return strcmp(answer_string(problem, "state"), state) == 0;
}

/* The mark of a problem's state. U+2713 is a check mark. */
static const char *
state_mark(const cJSON *problem, bool utf8)
{
    if (state_is(problem, "solved"))
        return utf8 ? "\u2713" : "+";
    return state_is(problem, "tried") ? "~" : "";
}

/* The texts of a list, with something between each two. The caller frees. */
static char *
join_texts(const cJSON *problem, const char *key, const char *between)
{
    const cJSON *item;
    struct buf out = {0};

    cJSON_ArrayForEach(item, answer_array(problem, key)) if (cJSON_IsString(item))
        buf_printf(&out, "%s%s", out.len > 0 ? between : "", item->valuestring);
    return buf_take(&out);
}

static void
add_row(struct table *table, const cJSON *p, bool is_long, bool utf8)
{
    const cJSON *place = problem_place(p);
    const bool broken = answer_string(p, "error")[0] != '\0';
    char *tags = join_texts(p, "tags", ", ");
    struct text32 text;

    table_row(table, broken                  ? STYLE_BAD
                     : state_is(p, "solved") ? STYLE_GOOD
                                             : STYLE_PLAIN);
    table_cell(table, "%s", state_mark(p, utf8));
    table_cell(table, "%s", answer_string(p, "slug"));
    table_cell(table, "%s", broken ? "(broken)" : answer_string(p, "difficulty"));
    table_cell(table, "%s",
               place != NULL ? format_time(&text, answer_number(place, "time_ns"), utf8)
                             : "");
    table_cell(table, "%s",
               place != NULL ? format_percent(&text, answer_number(place, "percentile"))
                             : "");
    table_cell(table, "%s", is_long ? answer_string(p, "title") : "");
    table_cell(table, "%s", is_long ? tags : "");
    free(tags);
}

static void
print_summary(const struct terminal *t, const cJSON *problems)
{
    const cJSON *p;
    long solved = 0, tried = 0;
    bool of_user = false;
    struct text32 text;

    cJSON_ArrayForEach(p, problems)
    {
        of_user = of_user || answer_string(p, "state")[0] != '\0';
        solved += state_is(p, "solved");
        tried += state_is(p, "tried");
    }
    terminal_print(t, STYLE_PLAIN, "\n%s",
                   format_plural(&text, cJSON_GetArraySize(problems), "problem"));
    if (of_user)
        terminal_print(t, STYLE_PLAIN, ": %ld solved (%s), %ld tried (~)", solved,
                       t->utf8 ? "\u2713" : "+", tried);
    terminal_print(t, STYLE_PLAIN, "\n");
    cJSON_ArrayForEach(p, problems) if (answer_string(p, "error")[0] != '\0')
        terminal_print(t, STYLE_BAD, "%s\n", answer_string(p, "error"));
}

static void
problems_print(const struct terminal *t, const cJSON *problems, bool is_long)
{
    enum { MARK, SLUG, LEVEL, TIME, PERCENTILE, TITLE, TAGS, COUNT };
    static const struct column columns[COUNT] = {[MARK] = {"", false},
                                                 [SLUG] = {"problem", false},
                                                 [LEVEL] = {"difficulty", false},
                                                 [TIME] = {"time", true},
                                                 [PERCENTILE] = {"percentile", true},
                                                 [TITLE] = {"title", false},
                                                 [TAGS] = {"tags", false}};
    struct table *table = table_new(columns, COUNT);
    const cJSON *p;

    table_may_cut(table, SLUG, 24);
    table_may_cut(table, TITLE, 12);
    table_may_cut(table, TAGS, 12);
    table_may_leave(table, TITLE, 3);
    table_may_leave(table, LEVEL, 1);
    table_may_leave(table, PERCENTILE, 2);
    cJSON_ArrayForEach(p, problems) add_row(table, p, is_long, t->utf8);
    table_print(table, t);
    table_free(table);
    print_summary(t, problems);
}

/* --- for scripts -------------------------------------------------------- */

static void
problems_csv(FILE *file, const cJSON *problems)
{
    static const char *const KEYS[] = {"slug",    "title",      "difficulty", "state",
                                       "tags",    "board",      "time_ns",    "rank",
                                       "entries", "percentile", "submission", NULL};
    cJSON *rows = cJSON_CreateArray();
    const cJSON *p;

    cJSON_ArrayForEach(p, problems)
    {
        cJSON *row = cJSON_CreateObject();

        for (size_t i = 0; KEYS[i] != NULL; i++) {
            const cJSON *value = cJSON_GetObjectItemCaseSensitive(p, KEYS[i]);

            if (value == NULL)
                value = cJSON_GetObjectItemCaseSensitive(problem_place(p), KEYS[i]);
            if (cJSON_IsArray(value)) {
                char *texts = join_texts(p, KEYS[i], " ");

                cJSON_AddStringToObject(row, KEYS[i], texts);
                free(texts);
            } else if (value != NULL) {
                cJSON_AddItemToObject(row, KEYS[i], cJSON_Duplicate(value, true));
            }
        }
        cJSON_AddItemToArray(rows, row);
    }
    csv_print(file, KEYS, rows);
    cJSON_Delete(rows);
}

/* --- the board that is shown -------------------------------------------- */

/* The board of the device that the flag names, which may be the board itself. The caller
 * frees. */
static char *
board_of_device(struct cli *cli)
{
    const char *name = cli->args.flag[FLAG_DEVICE];
    cJSON *health = NULL;
    char *board = xstrdup(name);
    const cJSON *device;

    if (client_get(cli->client, "/api/health", &health, &cli->report) == CLIENT_OK) {
        cJSON_ArrayForEach(device, answer_array(health, "devices"))
        {
            if (strcmp(answer_string(device, "name"), name) != 0)
                continue;
            free(board);
            board = xstrdup(answer_string(device, "board"));
        }
    }
    cJSON_Delete(health);
    return board;
}

/* Leaves of each problem's places those on one board. */
static void
keep_board(cJSON *problems, const char *board)
{
    cJSON *p;

    cJSON_ArrayForEach(p, problems)
    {
        cJSON *places = cJSON_GetObjectItemCaseSensitive(p, "places");
        cJSON *place = places != NULL ? places->child : NULL;

        while (place != NULL) {
            cJSON *next = place->next;

            if (strcmp(answer_string(place, "board"), board) != 0)
                cJSON_Delete(cJSON_DetachItemViaPointer(places, place));
            place = next;
        }
    }
}

/* --- the verb ----------------------------------------------------------- */

/* Gets the list, with how far the user is. A login that no user of the judge's could have
 * is asked for by nobody. */
static int
get_problems(struct cli *cli, cJSON **out)
{
    struct report ignored = {0};
    const char *user = cli_user(cli);
    const bool told = cli_said_user(cli) != NULL || user_name_check(user, &ignored) == 0;
    char *name = client_escape(user);
    const char *sort = cli->args.flag[FLAG_SORT];
    const bool course = sort != NULL && strcmp(sort, PROBLEMS_BY_COURSE) == 0;
    char *path = xasprintf("/api/problems?order=%s%s%s", course ? "course" : "slug",
                           told ? "&user=" : "", told ? name : "");
    int status = client_exit_status(client_get(cli->client, path, out, &cli->report));

    free(path);
    free(name);
    return status;
}

static int
problems_show(struct cli *cli, cJSON *answer)
{
    cJSON *problems = cJSON_GetObjectItemCaseSensitive(answer, "problems");
    const int all = cJSON_GetArraySize(problems);
    const char *const *flag = cli->args.flag;

    if (flag[FLAG_DEVICE] != NULL) {
        char *board = board_of_device(cli);

        keep_board(problems, board);
        free(board);
    }
    if (cJSON_IsArray(problems) &&
        problem_filter(problems, &cli->args, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (flag[FLAG_CSV] != NULL)
        problems_csv(cli->out.file, problems);
    else if (all == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "there are no problems yet\n");
    else if (cJSON_GetArraySize(problems) == 0)
        terminal_paragraph(
            &cli->out, STYLE_PLAIN, 0,
            "none of the %d problems is so; leave out a word or a flag, or "
            "see all of them with `warpjudge problems`",
            all);
    else
        problems_print(&cli->out, problems, flag[FLAG_LONG] != NULL);
    return 0;
}

static int
problems_verb(struct cli *cli)
{
    cJSON *answer = NULL;
    int status;

    if (cli->args.flag[FLAG_JSON] != NULL && cli->args.flag[FLAG_CSV] != NULL) {
        report_fail(&cli->report, "--json and --csv contradict each other: give one");
        return EXIT_BAD_INPUT;
    }
    status = cli_connect(cli);
    if (status == 0)
        status = get_problems(cli, &answer);
    if (status == 0)
        status = problems_show(cli, answer);
    cJSON_Delete(answer);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_EASY, "easy ones; with --medium or --hard, those too"},
    {FLAG_MEDIUM, "those of medium difficulty"},
    {FLAG_HARD, "hard ones"},
    {FLAG_TAG, "those with this tag; several times: with all of them"},
    {FLAG_SOLVED, "those that you have solved"},
    {FLAG_UNSOLVED, "those that you have not solved"},
    {FLAG_TRIED, "those that you have tried, and not solved"},
    {FLAG_SORT, "by slug (the default), course, title, difficulty, time or percentile"},
    {FLAG_LONG, "titles and tags, too"},
    {FLAG_DEVICE, "times and places on this device, instead of the default one"},
    {FLAG_USER, "whose progress is shown, instead of yours"},
    {FLAG_JSON, "the chosen problems as one JSON object"},
    {FLAG_CSV, "the chosen problems as CSV"},
    {0, NULL},
};

const struct verb verb_problems = {
    .name = "problems",
    .arguments = "[WORD...]",
    .summary = "find problems, and see which are solved",
    .about =
        "Lists the problems that have every WORD in their name, title or tags, with a "
        "mark\n"
        "where you have solved or tried them, your best time, and the share of the "
        "other\n"
        "entries that are slower. Without words and flags it lists all of them.\n"
        "\n"
        "--sort course has the order in which a beginner is led through them, "
        "--sort time\n"
        "has the shortest first, --sort percentile the lowest, where there "
        "is\n"
        "most to win. What has none comes last.",
    .example = "  warpjudge problems\n"
               "  warpjudge problems attention --medium --unsolved\n"
               "  warpjudge problems --tag reduction --easy --long\n"
               "  warpjudge problems --solved --sort percentile\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .most = 64,
    .run = problems_verb,
};

/* `history`: lists submissions, newest first. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/result.h"
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT_DEFAULT 20
#define LIMIT_MOST 1000

static void
history_print(struct cli *cli, const cJSON *submissions)
{
    enum { ID, WHEN, USER, PROBLEM, DEVICE, VERDICT, TIME, FILENAME, COUNT };
    static const struct column columns[COUNT] = {
        [ID] = {"id", true},          [WHEN] = {"when", false},
        [USER] = {"user", false},     [PROBLEM] = {"problem", false},
        [DEVICE] = {"device", false}, [VERDICT] = {"verdict", false},
        [TIME] = {"time", true},      [FILENAME] = {"file", false},
    };
    bool everyone = cli->args.flag[FLAG_ALL] != NULL;
    struct table *table = table_new(columns, COUNT);
    const cJSON *s;

    table_may_cut(table, USER, 8);
    table_may_cut(table, PROBLEM, 14);
    table_may_cut(table, VERDICT, 12);
    table_may_cut(table, FILENAME, 8);
    table_may_leave(table, FILENAME, 2);
    table_may_leave(table, WHEN, 1);
    cJSON_ArrayForEach(s, submissions)
    {
        const char *state = answer_string(s, "state");
        const char *verdict = answer_string(s, "verdict");
        bool sample_tests_only = strcmp(answer_string(s, "mode"), "submit") != 0;
        bool done = strcmp(state, "done") == 0;
        double time = answer_number(s, "time_ns");
        struct text32 text;

        table_row(table, done ? STYLE_PLAIN : STYLE_DIM);
        table_cell(table, "%ld", answer_count(s, "id"));
        table_cell(table, "%s", format_date(&text, answer_number(s, "created_ms")));
        table_cell(table, "%s", everyone ? answer_string(s, "user") : "");
        table_cell(table, "%s", answer_string(s, "problem"));
        table_cell(table, "%s", answer_string(s, "device"));
        table_cell(table, "%s%s%s", done ? verdict_shown(verdict) : state,
                   answer_true(s, "insecure") ? " (no sandbox)" : "",
                   sample_tests_only ? " (samples)" : "");
        table_cell(table, "%s", time >= 0 ? format_time(&text, time, cli->out.utf8) : "");
        table_cell(table, "%s", answer_string(s, "filename"));
    }
    table_print(table, &cli->out);
    table_free(table);
}

static char *
make_path(struct cli *cli, long limit)
{
    const char *problem = cli->args.flag[FLAG_PROBLEM];
    struct buf path = {0};
    char *escaped;

    buf_printf(&path, "/api/submissions?limit=%ld", limit);
    if (cli->args.flag[FLAG_ALL] == NULL) {
        escaped = client_escape(cli_user(cli));
        buf_printf(&path, "&user=%s", escaped);
        free(escaped);
    }
    if (problem != NULL) {
        escaped = client_escape(problem);
        buf_printf(&path, "&problem=%s", escaped);
        free(escaped);
    }
    return buf_take(&path);
}

static int
history_verb(struct cli *cli)
{
    long limit = LIMIT_DEFAULT;
    cJSON *answer = NULL;
    char *path;
    int status;

    if (cli->args.flag[FLAG_LIMIT] != NULL &&
        args_number(&cli->args, FLAG_LIMIT, LIMIT_MOST, &limit, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (cli->args.flag[FLAG_ALL] != NULL && cli->args.flag[FLAG_USER] != NULL) {
        report_fail(&cli->report, "--all and --user contradict each other: give one");
        return EXIT_BAD_INPUT;
    }
    status = cli_connect(cli);
    if (status != 0)
        return status;
    path = make_path(cli, limit);
    status = client_exit_status(client_get(cli->client, path, &answer, &cli->report));
    free(path);
    if (status != 0)
        return status;
    if (cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (cJSON_GetArraySize(answer_array(answer, "submissions")) == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "no submissions%s%s yet\n",
                       cli->args.flag[FLAG_ALL] == NULL ? " by " : "",
                       cli->args.flag[FLAG_ALL] == NULL ? cli_user(cli) : "");
    else
        history_print(cli, answer_array(answer, "submissions"));
    cJSON_Delete(answer);
    return 0;
}

static const struct verb_flag flags[] = {
    {FLAG_PROBLEM, "only this problem's"},
    {FLAG_USER, "this user's instead of yours"},
    {FLAG_ALL, "everybody's"},
    {FLAG_LIMIT, "how many at most, from 1 to 1000; otherwise 20"},
    {FLAG_JSON, "the list as one JSON object"},
    {0, NULL},
};

const struct verb verb_history = {
    .name = "history",
    .arguments = "",
    .summary = "list your submissions, newest first",
    .about = "Lists your submissions, or somebody else's, newest first. `warpjudge "
             "status ID`\n"
             "shows one of them in full.",
    .example = "  warpjudge history\n"
               "  warpjudge history --all -p softmax --limit 5\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .run = history_verb,
};

/* `session`: where one is signed in with a browser. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

/* The path of one's own sessions, or of those of --user; with a number of one of them, or
 * "all", if it is not NULL. The caller frees. */
static char *
session_path(const struct cli *cli, const char *number)
{
    const char *user = cli->args.flag[FLAG_USER];
    char *name = client_escape(user != NULL ? user : "");
    char *which = client_escape(number != NULL ? number : "");
    char *path = xasprintf("/api/account%s%s/sessions%s%s", user != NULL ? "s/" : "",
                           name, number != NULL ? "/" : "", which);

    free(name);
    free(which);
    return path;
}

static void
session_print_row(struct table *table, const cJSON *s)
{
    struct text32 date;

    table_row(table, STYLE_PLAIN);
    table_cell(table, "%ld", answer_count(s, "id"));
    table_cell(table, "%s", answer_string(s, "label"));
    table_cell(table, "%s", format_date(&date, answer_number(s, "created_ms")));
    table_cell(table, "%s", format_date(&date, answer_number(s, "used_ms")));
    table_cell(table, "%s", format_date(&date, answer_number(s, "expires_ms")));
}

static int
session_list(struct cli *cli)
{
    static const struct column columns[] = {{"id", true},
                                            {"browser", false},
                                            {"begun", false},
                                            {"last use", false},
                                            {"ends", false}};
    cJSON *answer = NULL;
    const cJSON *s;
    struct table *table;
    char *path;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    path = session_path(cli, NULL);
    status = client_exit_status(client_get(cli->client, path, &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL) {
        cli_print_json(cli, answer);
    } else if (status == 0) {
        table = table_new(columns, sizeof columns / sizeof *columns);
        cJSON_ArrayForEach(s, answer_array(answer, "sessions"))
            session_print_row(table, s);
        table_print(table, &cli->out);
        table_free(table);
    }
    cJSON_Delete(answer);
    free(path);
    return status;
}

static int
session_revoke(struct cli *cli, const char *number)
{
    cJSON *answer = NULL;
    char *path;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    path = session_path(cli, number);
    status = client_exit_status(client_delete(cli->client, path, &answer, &cli->report));
    if (status == 0 && strcmp(number, "all") == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "all sessions have ended\n");
    else if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "session %s has ended\n", number);
    cJSON_Delete(answer);
    free(path);
    return status;
}

static int
session_verb(struct cli *cli)
{
    const struct args *args = &cli->args;
    const char *word = args->positional[1];

    if (strcmp(word, "list") == 0 && args->count == 2)
        return session_list(cli);
    if (strcmp(word, "revoke") == 0 && args->count == 3)
        return session_revoke(cli, args->positional[2]);
    report_fail(&cli->report, "`warpjudge session` knows list, revoke ID and revoke all");
    return EXIT_BAD_INPUT;
}

static const struct verb_flag flags[] = {
    {FLAG_USER, "for admins: the sessions of this account"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_session = {
    .name = "session",
    .arguments = "list | revoke ID | revoke all",
    .summary = "list and end your sessions in browsers",
    .about = "list: says in which browsers you are signed in by your password, and when "
             "each was\n"
             "used last. revoke ID: ends one of them; revoke all: every one.\n"
             "\n"
             "Programs use tokens instead: `warpjudge token`.",
    .example = "  warpjudge session list\n"
               "  warpjudge session revoke 3\n"
               "  warpjudge session revoke all --user ada\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 2,
    .missing = "say what to do, as in `warpjudge session list`",
    .run = session_verb,
};

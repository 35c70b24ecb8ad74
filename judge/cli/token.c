/* `token`: the tokens of one's own account. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

#define DAYS_MOST 3650

static int
token_new(struct cli *cli)
{
    const struct args *args = &cli->args;
    cJSON *body, *answer = NULL;
    const bool for_worker =
        args->flag[FLAG_SCOPES] != NULL && strcmp(args->flag[FLAG_SCOPES], "worker") == 0;
    long days = 0;
    int status = EXIT_BAD_INPUT;

    if (args->flag[FLAG_DAYS] != NULL &&
        args_number(args, FLAG_DAYS, DAYS_MOST, &days, &cli->report) != 0)
        return status;
    status = cli_connect(cli);
    if (status != 0)
        return status;
    body = cJSON_CreateObject();
    if (args->count > 2)
        cJSON_AddStringToObject(body, "label", args->positional[2]);
    if (args->flag[FLAG_SCOPES] != NULL)
        cJSON_AddStringToObject(body, "scopes", args->flag[FLAG_SCOPES]);
    if (args->flag[FLAG_ROLE] != NULL)
        cJSON_AddStringToObject(body, "roles", args->flag[FLAG_ROLE]);
    if (days > 0)
        cJSON_AddNumberToObject(body, "days", (double)days);
    status = client_exit_status(
        client_post(cli->client, "/api/account/tokens", body, &answer, &cli->report));
    cJSON_Delete(body);
    if (status == 0 && args->flag[FLAG_JSON] != NULL) {
        cli_print_json(cli, answer);
    } else if (status == 0) {
        terminal_print(&cli->out, STYLE_PLAIN, "%s\n", answer_string(answer, "token"));
        terminal_print(&cli->err, STYLE_DIM, "It is shown this once; %s.\n",
                       for_worker ? "put it into a file of mode 600, for `warpjudge "
                                    "worker --token-file FILE`"
                                  : "WARPJUDGE_TOKEN makes commands use it");
    }
    cJSON_Delete(answer);
    return status;
}

/* Adds the words of a list, with commas between. */
static void
token_add_words(struct buf *out, const cJSON *list)
{
    const char *comma = "";
    const cJSON *word;

    cJSON_ArrayForEach(word, list)
    {
        buf_printf(out, "%s%s", comma, cJSON_IsString(word) ? word->valuestring : "");
        comma = ",";
    }
}

static void
token_print_row(struct table *table, const cJSON *t)
{
    const cJSON *roles = answer_array(t, "roles");
    const double expires_ms = answer_number(t, "expires_ms");
    const double used_ms = answer_number(t, "used_ms");
    struct buf scopes = {0};
    struct text32 date;

    token_add_words(&scopes, answer_array(t, "scopes"));
    if (cJSON_GetArraySize(roles) > 0) {
        buf_puts(&scopes, " (");
        token_add_words(&scopes, roles);
        buf_puts(&scopes, ")");
    }
    table_row(table, STYLE_PLAIN);
    table_cell(table, "%ld", answer_count(t, "id"));
    table_cell(table, "%s", answer_string(t, "label"));
    table_cell(table, "%s", buf_str(&scopes));
    table_cell(table, "%s", format_date(&date, answer_number(t, "created_ms")));
    table_cell(table, "%s", used_ms > 0 ? format_date(&date, used_ms) : "never");
    table_cell(table, "%s", expires_ms > 0 ? format_date(&date, expires_ms) : "never");
    table_cell(table, "%s", answer_true(t, "this") ? "this one" : "");
    buf_free(&scopes);
}

static int
token_list(struct cli *cli)
{
    static const struct column columns[] = {
        {"id", true},        {"label", false},   {"for", false}, {"made", false},
        {"last use", false}, {"expires", false}, {"", false},
    };
    cJSON *answer = NULL;
    const cJSON *t;
    struct table *table;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status = client_exit_status(
        client_get(cli->client, "/api/account/tokens", &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL) {
        cli_print_json(cli, answer);
    } else if (status == 0) {
        table = table_new(columns, sizeof columns / sizeof *columns);
        cJSON_ArrayForEach(t, answer_array(answer, "tokens")) token_print_row(table, t);
        table_print(table, &cli->out);
        table_free(table);
    }
    cJSON_Delete(answer);
    return status;
}

static int
token_revoke(struct cli *cli)
{
    const char *text = cli->args.positional[2];
    char *escaped, *path;
    cJSON *answer = NULL;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    escaped = client_escape(text);
    path = xasprintf("/api/account/tokens/%s", escaped);
    status = client_exit_status(client_delete(cli->client, path, &answer, &cli->report));
    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "token %s is revoked\n", text);
    cJSON_Delete(answer);
    free(path);
    free(escaped);
    return status;
}

static int
token_verb(struct cli *cli)
{
    const struct args *args = &cli->args;
    const char *word = args->positional[1];

    if (strcmp(word, "new") == 0)
        return token_new(cli);
    if (strcmp(word, "list") == 0 && args->count == 2)
        return token_list(cli);
    if (strcmp(word, "revoke") == 0 && args->count == 3)
        return token_revoke(cli);
    report_fail(&cli->report, "`warpjudge token` knows new [LABEL], list and revoke ID");
    return EXIT_BAD_INPUT;
}

static const struct verb_flag flags[] = {
    {FLAG_SCOPES, "new: of read, submit, bulk, admin; or worker; otherwise read,submit"},
    {FLAG_ROLE, "new: what its workers may: judge, compile; otherwise judge,compile"},
    {FLAG_DAYS, "new: how long it is good for; otherwise as long as this one"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_token = {
    .name = "token",
    .arguments = "new [LABEL] | list | revoke ID",
    .summary = "make and revoke tokens for programs of yours",
    .about =
        "new: prints a token, with which a program acts for your account. The label "
        "is\n"
        "for you. It may read what you may, submit under your name, submit beyond "
        "the\n"
        "quota and grade in bulk (bulk), and what your role allows (admin), as far as\n"
        "--scopes says.\n"
        "\n"
        "An admin's token of the scope worker is for `warpjudge worker` alone. With\n"
        "--role compile its workers can only compile, and with --role judge only "
        "judge.\n"
        "\n"
        "revoke: ends a token, and those that were made with it.",
    .example = "  warpjudge token new ci --scopes read,submit --days 90\n"
               "  warpjudge token new node-7 --scopes worker --role judge\n"
               "  warpjudge token list\n"
               "  warpjudge token revoke 7\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 2,
    .missing = "say what to do, as in `warpjudge token list`",
    .run = token_verb,
};

#include "cli/admin_queue.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/result.h"
#include "cli/table.h"

#include <stdio.h>
#include <stdlib.h>

static void
queue_print(struct cli *cli, const cJSON *answer)
{
    static const struct column columns[] = {{"id", true},
                                            {"user", false},
                                            {"problem", false},
                                            {"device", false},
                                            {"state", false}};
    const cJSON *list = answer_array(answer, "queue"), *a;
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    char place[96];

    cJSON_ArrayForEach(a, list)
    {
        result_place(place, sizeof place, a);
        table_row(table, STYLE_PLAIN);
        table_cell(table, "%ld", answer_count(a, "id"));
        table_cell(table, "%s", answer_string(a, "user"));
        table_cell(table, "%s", answer_string(a, "problem"));
        table_cell(table, "%s", answer_string(a, "device"));
        table_cell(table, "%s", place);
    }
    if (cJSON_GetArraySize(list) > 0)
        table_print(table, &cli->out);
    else
        terminal_print(&cli->out, STYLE_PLAIN, "no submission waits or is judged\n");
    table_free(table);
    if (answer_count(answer, "total") > cJSON_GetArraySize(list))
        terminal_print(&cli->out, STYLE_DIM, "the oldest %d of %ld\n",
                       cJSON_GetArraySize(list), answer_count(answer, "total"));
}

int
admin_queue(struct cli *cli)
{
    cJSON *answer = NULL;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status =
        client_exit_status(client_get(cli->client, "/api/queue", &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        queue_print(cli, answer);
    cJSON_Delete(answer);
    return status;
}

/* Prints what became of a submission, and returns the exit status. */
static int
end_print(struct cli *cli, enum client_result result, long id, const char *what,
          cJSON *answer)
{
    if (result == CLIENT_OK && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (result == CLIENT_OK)
        terminal_print(&cli->out, STYLE_PLAIN, "submission %ld is %s\n", id, what);
    cJSON_Delete(answer);
    return client_exit_status(result);
}

int
admin_cancel(struct cli *cli, const char *number)
{
    cJSON *body, *answer = NULL;
    enum client_result result;
    char path[64];
    long id = 0;
    int status;

    if (args_submission(number, &id, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    status = cli_connect(cli);
    if (status != 0)
        return status;
    body = cJSON_CreateObject();
    snprintf(path, sizeof path, "/api/submissions/%ld/cancel", id);
    result = client_post(cli->client, path, body, &answer, &cli->report);
    cJSON_Delete(body);
    return end_print(cli, result, id, "cancelled", answer);
}

int
admin_delete_submission(struct cli *cli, const char *number)
{
    cJSON *submission = NULL, *answer = NULL;
    enum client_result result;
    char path[64], *user, *named;
    long id = 0;
    int status;

    if (args_submission(number, &id, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    status = cli_connect(cli);
    if (status != 0)
        return status;
    snprintf(path, sizeof path, "/api/submissions/%ld", id);
    result = client_get(cli->client, path, &submission, &cli->report);
    if (result == CLIENT_OK) {
        user = client_escape(answer_string(submission, "user"));
        named = xasprintf("%s?user=%s", path, user);
        result = client_delete(cli->client, named, &answer, &cli->report);
        free(named);
        free(user);
    }
    cJSON_Delete(submission);
    return end_print(cli, result, id, "deleted", answer);
}

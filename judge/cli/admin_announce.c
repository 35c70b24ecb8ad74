#include "cli/admin_announce.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/format.h"

#include <stdlib.h>

int
admin_announce(struct cli *cli, const char *const *words, int count)
{
    struct buf text = {0};
    cJSON *body, *answer = NULL;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    for (int i = 0; i < count; i++)
        buf_printf(&text, "%s%s", i > 0 ? " " : "", words[i]);
    body = cJSON_CreateObject();
    cJSON_AddStringToObject(body, "text", buf_str(&text));
    buf_free(&text);
    status = client_exit_status(
        client_post(cli->client, "/api/announcements", body, &answer, &cli->report));
    cJSON_Delete(body);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        terminal_paragraph(&cli->out, STYLE_PLAIN, 0,
                           "everybody is told so, until `warpjudge admin unannounce %ld`",
                           answer_count(answer, "id"));
    cJSON_Delete(answer);
    return status;
}

int
admin_announcements(struct cli *cli)
{
    cJSON *answer = NULL;
    const cJSON *a;
    struct text32 date;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status = client_exit_status(
        client_get(cli->client, "/api/announcements", &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL) {
        cli_print_json(cli, answer);
    } else if (status == 0 &&
               cJSON_GetArraySize(answer_array(answer, "announcements")) == 0) {
        terminal_print(&cli->out, STYLE_PLAIN, "nothing is announced\n");
    } else if (status == 0) {
        cJSON_ArrayForEach(a, answer_array(answer, "announcements")) terminal_paragraph(
            &cli->out, STYLE_PLAIN, 4, "%3ld  %s  %s", answer_count(a, "id"),
            format_date(&date, answer_number(a, "created_ms")), answer_string(a, "text"));
    }
    cJSON_Delete(answer);
    return status;
}

int
admin_unannounce(struct cli *cli, const char *number)
{
    cJSON *answer = NULL;
    char *escaped, *path;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    escaped = client_escape(number);
    path = xasprintf("/api/announcements/%s", escaped);
    status = client_exit_status(client_delete(cli->client, path, &answer, &cli->report));
    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "announcement %s is told no more\n",
                       number);
    cJSON_Delete(answer);
    free(path);
    free(escaped);
    return status;
}

/* `problems`: lists the problems. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/table.h"

static void
problems_print(const struct terminal *t, const cJSON *problems)
{
    static const struct column columns[] = {
        {"problem", false}, {"title", false}, {"difficulty", false}, {"tags", false}};
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    const cJSON *p, *tag;
    int broken = 0;

    cJSON_ArrayForEach(p, problems)
    {
        const char *error = answer_string(p, "error");
        struct buf tags = {0};

        cJSON_ArrayForEach(tag, answer_array(p, "tags")) if (cJSON_IsString(tag))
            buf_printf(&tags, "%s%s", tags.len > 0 ? ", " : "", tag->valuestring);
        table_row(table, error[0] != '\0' ? STYLE_BAD : STYLE_PLAIN);
        table_cell(table, "%s", answer_string(p, "slug"));
        table_cell(table, "%s",
                   error[0] != '\0' ? "(broken)" : answer_string(p, "title"));
        table_cell(table, "%s", answer_string(p, "difficulty"));
        table_cell(table, "%s", buf_str(&tags));
        broken += error[0] != '\0';
        buf_free(&tags);
    }
    table_print(table, t);
    table_free(table);
    if (broken == 0)
        return;
    terminal_print(t, STYLE_PLAIN, "\n");
    cJSON_ArrayForEach(p, problems) if (answer_string(p, "error")[0] != '\0')
        terminal_print(t, STYLE_BAD, "%s\n", answer_string(p, "error"));
}

static int
problems_verb(struct cli *cli)
{
    int status = cli_connect(cli);
    cJSON *answer = NULL;

    if (status == 0)
        status = client_exit_status(
            client_get(cli->client, "/api/problems", &answer, &cli->report));
    if (status != 0)
        return status;
    if (cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (cJSON_GetArraySize(answer_array(answer, "problems")) == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "there are no problems yet\n");
    else
        problems_print(&cli->out, answer_array(answer, "problems"));
    cJSON_Delete(answer);
    return 0;
}

static const struct verb_flag flags[] = {
    {FLAG_JSON, "the list as one JSON object"},
    {0, NULL},
};

const struct verb verb_problems = {
    .name = "problems",
    .arguments = "",
    .summary = "list the problems",
    .about = "Lists the problems by the name that the other commands take.",
    .example = "  warpjudge problems\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .run = problems_verb,
};

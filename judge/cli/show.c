/* `show`: prints a problem's statement, signature and sizes. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

/* Prints a statement's Markdown as it is. On a terminal, headings and code are
 * highlighted. */
static void
print_markdown(const struct terminal *t, const char *text)
{
    bool code = false;

    while (*text != '\0') {
        int len = (int)strcspn(text, "\n");
        const char *line = text;
        enum style style = STYLE_PLAIN;
        bool fence = strncmp(line, "```", 3) == 0;

        text += len + (text[len] == '\n');
        if (fence)
            code = !code;
        if (fence || code) {
            style = fence ? STYLE_DIM : STYLE_PLAIN;
        } else if (line[0] == '#') {
            int mark = (int)strspn(line, "# ");

            style = STYLE_BOLD;
            if (t->colour && mark < len) {
                line += mark;
                len -= mark;
            }
        }
        terminal_print(t, style, "%.*s", len, line);
        terminal_print(t, STYLE_PLAIN, "\n");
    }
}

static void
print_params(const struct terminal *t, const cJSON *params)
{
    static const struct column columns[] = {
        {"parameter", false}, {"type", false}, {"direction", false}, {"about", false}};
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    const cJSON *p;

    cJSON_ArrayForEach(p, params)
    {
        table_row(table, STYLE_PLAIN);
        table_cell(table, "%s", answer_string(p, "name"));
        table_cell(table, "%s", answer_string(p, "type"));
        table_cell(table, "%s", answer_string(p, "dir"));
        table_cell(table, "%s", answer_string(p, "about"));
    }
    table_print(table, t);
    table_free(table);
}

static void
print_problem(const struct terminal *t, const cJSON *p)
{
    const cJSON *benchmark = cJSON_GetObjectItemCaseSensitive(p, "benchmark");
    const cJSON *size, *why;

    print_markdown(t, answer_string(p, "statement"));
    terminal_print(t, STYLE_BOLD, "\nSignature\n");
    terminal_print(t, STYLE_PLAIN, "  extern \"C\" %s\n\n",
                   answer_string(p, "signature"));
    if (cJSON_GetArraySize(answer_array(p, "params")) > 0)
        print_params(t, answer_array(p, "params"));
    terminal_print(t, STYLE_BOLD, "\nSizes\n");
    terminal_print(t, STYLE_PLAIN, "  %ld tests\n", answer_count(p, "tests"));
    cJSON_ArrayForEach(size, benchmark) if (cJSON_IsString(size)) terminal_print(
        t, STYLE_PLAIN, "  timed on %s at %s\n",
        strcmp(size->string, "cuda") == 0 ? "a GPU" : size->string, size->valuestring);
    cJSON_ArrayForEach(why, answer_array(p, "refused")) if (cJSON_IsString(why))
        terminal_print(t, STYLE_WARN, "  %s\n", why->valuestring);
    terminal_print(t, STYLE_DIM, "\n`warpjudge init %s` writes a file to start from\n",
                   answer_string(p, "slug"));
}

static int
show_verb(struct cli *cli)
{
    char *slug = client_escape(cli->args.positional[1]);
    char *path = xasprintf("/api/problems/%s", slug);
    int status = cli_connect(cli);
    cJSON *problem = NULL;

    if (status == 0)
        status =
            client_exit_status(client_get(cli->client, path, &problem, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, problem);
    else if (status == 0)
        print_problem(&cli->out, problem);
    cJSON_Delete(problem);
    free(path);
    free(slug);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_JSON, "the problem as one JSON object"},
    {0, NULL},
};

const struct verb verb_show = {
    .name = "show",
    .arguments = "SLUG",
    .summary = "read a problem: what to compute, and with which signature",
    .about = "Prints the problem's statement, the signature of solve(), its parameters "
             "and the\n"
             "sizes at which it is timed.",
    .example = "  warpjudge show vector-addition\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 1,
    .missing = "name the problem, as in `warpjudge show vector-addition`",
    .run = show_verb,
};

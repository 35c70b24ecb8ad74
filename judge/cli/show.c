/* `show`: prints a problem's statement, signature and sizes. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/table.h"
#include "cli/text.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_MOST 90 /* longer lines are hard to read */
#define HANG 4        /* of what goes on in the next line */

/* The bytes of the text's first line without its newline. */
static int
line_length(const char *text)
{
    return (int)strcspn(text, "\n");
}

/* The width of what an item of a list begins with, as "- " or "1. "; 0: it is none. */
static int
item_mark(const char *line)
{
    const int digits = (int)strspn(line, "0123456789");

    if (strncmp(line, "- ", 2) == 0 || strncmp(line, "* ", 2) == 0)
        return 2;
    return digits > 0 && strncmp(line + digits, ". ", 2) == 0 ? digits + 2 : 0;
}

/* Does a line begin something of its own, so that it is not joined to the one before? */
static bool
line_begins(const char *line)
{
    return line[0] == '\n' || line[0] == '\0' || line[0] == '#' || line[0] == '|' ||
           item_mark(line) > 0 || strncmp(line, "    ", 4) == 0 ||
           strncmp(line, "```", 3) == 0;
}

/* Does a line begin a paragraph or an item of a list, whose lines may be broken anew? */
static bool
line_is_prose(const char *line)
{
    return !line_begins(line) || item_mark(line) > 0;
}

/* Prints a paragraph, or an item of a list, with its lines broken for the terminal.
 * Returns what follows it. */
static const char *
print_prose(const struct terminal *t, const char *text)
{
    const int hang = item_mark(text);
    struct buf words = {0}, lines = {0};

    do {
        const int len = line_length(text);

        buf_printf(&words, "%s%.*s", words.len > 0 ? " " : "", len, text);
        text += len + (text[len] == '\n');
    } while (!line_begins(text));
    text_wrap_hanging(&lines, buf_str(&words), 0, hang,
                      t->width < WIDTH_MOST ? t->width : WIDTH_MOST);
    terminal_print(t, STYLE_PLAIN, "%s", buf_str(&lines));
    buf_free(&words);
    buf_free(&lines);
    return text;
}

/* Prints a line of a statement as it is; only a terminal has long ones broken. */
static void
print_markdown_line(const struct terminal *t, const char *text, int len, bool code)
{
    enum style style = STYLE_PLAIN;
    char *line;

    if (strncmp(text, "```", 3) == 0) {
        style = STYLE_DIM;
    } else if (text[0] == '#' && !code) {
        const int mark = (int)strspn(text, "# ");

        style = STYLE_BOLD;
        if (t->colour && mark < len) {
            text += mark;
            len -= mark;
        }
    }
    line = xasprintf("%.*s", len, text);
    terminal_line(t, style, HANG, line);
    free(line);
}

/* Prints a statement's Markdown as it is. On a terminal, headings and code are
 * highlighted, and paragraphs are as wide as it is. */
static void
print_markdown(const struct terminal *t, const char *text)
{
    bool code = false;

    while (*text != '\0') {
        const int len = line_length(text);

        if (t->cut && !code && line_is_prose(text)) {
            text = print_prose(t, text);
            continue;
        }
        if (strncmp(text, "```", 3) == 0)
            code = !code;
        print_markdown_line(t, text, len, code);
        text += len + (text[len] == '\n');
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
print_signature(const struct terminal *t, const char *signature)
{
    char *line = xasprintf("  extern \"C\" %s", signature);

    terminal_line(t, STYLE_PLAIN, HANG, line);
    terminal_print(t, STYLE_PLAIN, "\n");
    free(line);
}

static void
print_problem(const struct terminal *t, const cJSON *p)
{
    const cJSON *benchmark = cJSON_GetObjectItemCaseSensitive(p, "benchmark");
    const cJSON *size, *why;

    print_markdown(t, answer_string(p, "statement"));
    terminal_print(t, STYLE_BOLD, "\nSignature\n");
    print_signature(t, answer_string(p, "signature"));
    if (cJSON_GetArraySize(answer_array(p, "params")) > 0)
        print_params(t, answer_array(p, "params"));
    terminal_print(t, STYLE_BOLD, "\nSizes\n");
    terminal_print(t, STYLE_PLAIN, "  %ld tests\n", answer_count(p, "tests"));
    cJSON_ArrayForEach(size, benchmark) if (cJSON_IsString(size)) terminal_print(
        t, STYLE_PLAIN, "  timed on %s at %s\n",
        strcmp(size->string, "cuda") == 0 ? "a GPU" : size->string, size->valuestring);
    cJSON_ArrayForEach(why, answer_array(p, "refused")) if (cJSON_IsString(why))
        terminal_paragraph(t, STYLE_WARN, 2, "%s", why->valuestring);
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

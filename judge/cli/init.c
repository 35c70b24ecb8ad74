/* `init`: writes a file to start from, which names its problem itself. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/new_file.h"
#include "cli/source.h"

#include <stdlib.h>
#include <string.h>

/* Makes the text: the starter, and a comment that names the problem if the starter has
 * none. */
static int
make_text(const cJSON *problem, const char *slug, struct buf *text, struct report *r)
{
    const char *starter = answer_string(problem, "starter");
    char *named = NULL;

    if (starter[0] == '\0')
        return report_fail(r, "the judge has no starter for %s", slug);
    if (source_find_problem("the starter", starter, strlen(starter), &named, r) != 0)
        return -1;
    if (named == NULL)
        buf_printf(text, "// warpjudge: %s\n", slug);
    free(named);
    buf_puts(text, starter);
    return 0;
}

static int
init_verb(struct cli *cli)
{
    const char *slug = cli->args.positional[1];
    const char *said = cli->args.count > 2 ? cli->args.positional[2] : NULL;
    char *escaped = client_escape(slug);
    char *path = xasprintf("/api/problems/%s", escaped);
    char *file = said != NULL ? xstrdup(said) : xasprintf("%s.cu", slug);
    struct buf text = {0};
    cJSON *problem = NULL;
    int status = cli_connect(cli);

    if (status == 0)
        status =
            client_exit_status(client_get(cli->client, path, &problem, &cli->report));
    if (status == 0 && make_text(problem, slug, &text, &cli->report) != 0)
        status = EXIT_JUDGE_FAILED;
    if (status == 0 && new_file_write(file, text.data, text.len,
                                      "warpjudge init SLUG FILE.cu", &cli->report) != 0)
        status = EXIT_BAD_INPUT;
    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN,
                       "%s is ready: fill in solve(), then `warpjudge submit %s`\n", file,
                       file);
    cJSON_Delete(problem);
    buf_free(&text);
    free(file);
    free(path);
    free(escaped);
    return status;
}

static const struct verb_flag flags[] = {{0, NULL}};

const struct verb verb_init = {
    .name = "init",
    .arguments = "SLUG [FILE.cu]",
    .summary = "write a file to start from",
    .about = "Writes SLUG.cu, or FILE.cu, with the problem's signature and an empty "
             "solve(). A\n"
             "file that exists is left as it is.",
    .example = "  warpjudge init vector-addition\n"
               "  warpjudge init softmax mine.cu\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 2,
    .missing = "name the problem, as in `warpjudge init vector-addition`",
    .run = init_verb,
};

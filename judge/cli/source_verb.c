/* `source`: gets the source of a submission back. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/new_file.h"

#include <stdlib.h>
#include <string.h>

/* Prints a source. A terminal gets no control characters, and a pipe every byte. */
static int
source_show(struct cli *cli, const char *text)
{
    if (cli->out.cut) {
        terminal_print(&cli->out, STYLE_PLAIN, "%s", text);
        return 0;
    }
    /* main.c tells of what could not be written. */
    fwrite(text, 1, strlen(text), cli->out.file);
    return 0;
}

static int
source_save(struct cli *cli, const char *id, const char *path, const cJSON *answer)
{
    const char *text = answer_string(answer, "source");
    char *example = xasprintf("warpjudge source %s -o FILE.cu", id);
    const int rc = new_file_write(path, text, strlen(text), example, &cli->report);

    free(example);
    if (rc != 0)
        return EXIT_BAD_INPUT;
    terminal_print(&cli->out, STYLE_PLAIN, "%s has the source of submission %s (%s)\n",
                   path, id, answer_string(answer, "filename"));
    return 0;
}

static int
source_verb(struct cli *cli)
{
    const char *id = cli->args.positional[1], *file = cli->args.flag[FLAG_OUTPUT];
    const bool json = cli->args.flag[FLAG_JSON] != NULL;
    cJSON *answer = NULL;
    char path[64];
    long number = 0;
    int status;

    if (args_submission(id, &number, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (json && file != NULL) {
        report_fail(&cli->report, "--json and --output contradict each other: give one");
        return EXIT_BAD_INPUT;
    }
    snprintf(path, sizeof path, "/api/submissions/%ld/source", number);
    status = cli_connect(cli);
    if (status == 0)
        status = client_exit_status(client_get(cli->client, path, &answer, &cli->report));
    if (status == 0 && json)
        cli_print_json(cli, answer);
    else if (status == 0 && file != NULL && strcmp(file, "-") != 0)
        status = source_save(cli, id, file, answer);
    else if (status == 0)
        status = source_show(cli, answer_string(answer, "source"));
    cJSON_Delete(answer);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_OUTPUT, "write it into this new file instead"},
    {FLAG_JSON, "its filename and the source as one JSON object"},
    {0, NULL},
};

const struct verb verb_source = {
    .name = "source",
    .arguments = "ID [-o FILE]",
    .summary = "get the source of a submission back",
    .about = "Prints the source of the submission with this number, byte for byte as it "
             "was sent.\n"
             "With -o it goes into FILE; a file that exists is left as it is. `warpjudge "
             "history`\n"
             "lists the numbers. Your own sources are always yours to see. Others' are "
             "where the\n"
             "problem or the server says so, for example after you have solved the "
             "problem.",
    .example = "  warpjudge source 7\n"
               "  warpjudge source 7 -o yesterday.cu\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 1,
    .missing = "name the submission by its number, as in `warpjudge source 7`",
    .run = source_verb,
};

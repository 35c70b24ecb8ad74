/* `cancel`: ends a submission that is not judged yet. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/submit.h"

#include <stdlib.h>

static int
cancel_verb(struct cli *cli)
{
    cJSON *body, *answer = NULL;
    char *path;
    long id = 0;
    int status;

    if (args_submission(cli->args.positional[1], &id, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    status = cli_connect(cli);
    if (status != 0)
        return status;
    body = cJSON_CreateObject();
    submit_add_user(cli, body);
    path = xasprintf("/api/submissions/%ld/cancel", id);
    status =
        client_exit_status(client_post(cli->client, path, body, &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "submission %ld is cancelled\n", id);
    cJSON_Delete(body);
    cJSON_Delete(answer);
    free(path);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_USER, "whose submission it is, if not WARPJUDGE_USER or your login name"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_cancel = {
    .name = "cancel",
    .arguments = "ID",
    .summary = "end a submission that is not judged yet",
    .about =
        "Ends a submission of yours that waits, is compiled or is judged. Its verdict\n"
        "is then `cancelled`, and its device is free for the next one. One that is\n"
        "judged already stays as it is. The staff may cancel every submission.",
    .example = "  warpjudge cancel 7\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 1,
    .missing = "name a submission, as in `warpjudge cancel 7`",
    .run = cancel_verb,
};

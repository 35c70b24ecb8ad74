/* `problem preview`: a problem's statement and errors in a browser, as its files change.
 */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/open.h"
#include "cli/problem.h"
#include "problem/names.h"

#include <stdlib.h>

int
problem_preview(struct cli *cli)
{
    const char *slug = cli->args.positional[2];
    cJSON *preview = NULL;
    char *path;
    int status;

    if (!slug_is_valid(slug)) {
        report_fail(&cli->report, "\"%.80s\" is not the name of a problem", slug);
        return EXIT_BAD_INPUT;
    }
    status = cli_connect(cli);
    if (status != 0)
        return status;
    path = xasprintf("/api/problems/%s/preview", slug);
    status = client_exit_status(client_get(cli->client, path, &preview, &cli->report));
    free(path);
    if (status == 0)
        status = open_page(cli, answer_string(preview, "page"));
    cJSON_Delete(preview);
    return status;
}

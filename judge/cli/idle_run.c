/* Asks the judge for a run again and again. */
#include "cli/idle_run.h"

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ASK_EVERY_NS 300000000

int
idle_run_wait(struct cli *cli, const struct idle_run *kind, cJSON **run)
{
    const long id = answer_count(*run, "id");
    int status = 0;

    while (status == 0 && strcmp(answer_string(*run, "state"), "judging") == 0) {
        char *text = kind->progress(*run);

        terminal_rewrite(&cli->err, text);
        free(text);
        (void)nanosleep(&(struct timespec){.tv_nsec = ASK_EVERY_NS}, NULL);
        cJSON_Delete(*run);
        *run = NULL;
        status =
            client_exit_status(client_get(cli->client, kind->path, run, &cli->report));
        if (status == 0 && answer_count(*run, "id") != id) {
            report_fail(&cli->report, "%s", kind->replaced);
            status = EXIT_JUDGE_FAILED;
        }
    }
    terminal_rewrite(&cli->err, "");
    return status;
}

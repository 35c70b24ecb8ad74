/* `status`: prints one submission in full, or how the judge is. */
#include "cli/announcements.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/cluster.h"
#include "cli/drift.h"
#include "cli/due.h"
#include "cli/equal.h"
#include "cli/format.h"
#include "cli/quota.h"
#include "cli/result.h"
#include "cli/submit.h"
#include "cli/table.h"
#include "cli/workers.h"

#include <stdlib.h>
#include <string.h>

/* As whom sandboxes run; a daemon without sandboxes does not say. */
static void
show_ids(const struct terminal *t, const cJSON *health)
{
    const char *why = answer_string(health, "no_ids");

    if (answer_string(health, "ids")[0] == '\0')
        return;
    terminal_paragraph(t, STYLE_PLAIN, 0, "submissions run as %s%s%s%s",
                       answer_string(health, "ids"), why[0] != '\0' ? " (" : "", why,
                       why[0] != '\0' ? ")" : "");
}

/* Where the judge is, and what holds submissions. */
static void
print_judge(struct cli *cli, const cJSON *health)
{
    const struct terminal *t = &cli->out;
    const char *why = answer_string(health, "no_groups");

    terminal_paragraph(t, STYLE_BOLD, 0, "warpjudge %s at %s (process %ld)",
                       answer_string(health, "version"), client_address(cli->client),
                       answer_count(health, "pid"));
    if (answer_true(health, "insecure"))
        terminal_paragraph(t, STYLE_WARN, 0,
                           "submissions run without a sandbox (--insecure-no-sandbox)");
    terminal_paragraph(t, STYLE_PLAIN, 0,
                       "memory and processes of submissions are held by %s%s%s%s",
                       answer_string(health, "limits"), why[0] != '\0' ? " (" : "", why,
                       why[0] != '\0' ? ")" : "");
    show_ids(t, health);
    quota_print(t, health);
    if (answer_string(health, "trouble")[0] != '\0')
        terminal_paragraph(t, STYLE_WARN, 0, "nothing new is judged: %s",
                           answer_string(health, "trouble"));
    announcements_print(cli, &cli->out, ANNOUNCEMENTS_ALL);
}

/* What a device does now. */
static const char *
device_now(const cJSON *device)
{
    if (answer_number(device, "workers") == 0)
        return "no worker";
    return answer_true(device, "busy") ? "busy" : "free";
}

static void
print_devices(const struct terminal *t, const cJSON *health)
{
    enum { DEVICE, TITLE, ARCH, BOARD, STATE, COUNT };
    static const struct column columns[COUNT] = {
        [DEVICE] = {"device", false}, [TITLE] = {"title", false},
        [ARCH] = {"arch", false},     [BOARD] = {"board", false},
        [STATE] = {"", false},
    };
    const char *chosen = answer_string(health, "default_device");
    struct table *table = table_new(columns, COUNT);
    const cJSON *d;

    table_may_cut(table, TITLE, 12);
    table_may_leave(table, ARCH, 2);
    table_may_leave(table, BOARD, 1);
    cJSON_ArrayForEach(d, answer_array(health, "devices"))
    {
        bool is_default = strcmp(answer_string(d, "name"), chosen) == 0;

        table_row(table, STYLE_PLAIN);
        table_cell(table, "%s", answer_string(d, "name"));
        table_cell(table, "%s", answer_string(d, "title"));
        table_cell(table, "%s", answer_string(d, "arch"));
        table_cell(table, "%s", answer_string(d, "board"));
        table_cell(table, "%s%s", device_now(d), is_default ? ", the default" : "");
    }
    table_print(table, t);
    table_free(table);
    cJSON_ArrayForEach(d, answer_array(health, "devices"))
    {
        if (answer_string(d, "models")[0] != '\0')
            terminal_paragraph(t, STYLE_PLAIN, 0,
                               "%s models %s; its times are not measured",
                               answer_string(d, "name"), answer_string(d, "models"));
    }
}

static void
print_health(struct cli *cli, const cJSON *health)
{
    const struct terminal *t = &cli->out;
    const long queued = answer_count(health, "queued");

    print_judge(cli, health);
    cluster_print(t, health);
    if (queued > 0)
        terminal_print(t, STYLE_PLAIN, "%ld in the queue\n\n", queued);
    else
        terminal_print(t, STYLE_PLAIN, "the queue is empty\n\n");
    print_devices(t, health);
}

static int
status_ask(struct cli *cli, const char *path, cJSON **answer)
{
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    return client_exit_status(client_get(cli->client, path, answer, &cli->report));
}

static int
show_submission(struct cli *cli)
{
    char path[64];
    cJSON *submission = NULL;
    long id = 0;
    int status;

    if (args_submission(cli->args.positional[1], &id, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (cli->args.flag[FLAG_WAIT] != NULL) {
        status = cli_connect(cli);
        return status != 0 ? status : submit_wait(cli, id);
    }
    snprintf(path, sizeof path, "/api/submissions/%ld", id);
    status = status_ask(cli, path, &submission);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL) {
        cli_print_json(cli, submission);
    } else if (status == 0) {
        result_print(&cli->out, submission);
        due_print(&cli->out, submission);
        equal_print(&cli->out, submission);
    }
    cJSON_Delete(submission);
    return status;
}

static int
status_verb(struct cli *cli)
{
    cJSON *health = NULL;
    int rc;

    if (cli->args.count > 1)
        return show_submission(cli);
    if (cli->args.flag[FLAG_WAIT] != NULL) {
        report_fail(&cli->report, "--wait needs a submission's number, as in `warpjudge "
                                  "status --wait 7`");
        return EXIT_BAD_INPUT;
    }
    rc = status_ask(cli, "/api/health", &health);
    if (rc == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, health);
    else if (rc == 0)
        print_health(cli, health);
    if (rc == 0 && cli->args.flag[FLAG_JSON] == NULL) {
        workers_print(cli, &cli->out);
        drift_print(cli, &cli->out);
    }
    cJSON_Delete(health);
    return rc;
}

static const struct verb_flag flags[] = {
    {FLAG_WAIT, "wait until it is judged, then exit as `submit` does"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_status = {
    .name = "status",
    .arguments = "[ID]",
    .summary = "show a submission, or the judge's devices and queue",
    .about = "With a submission's number: shows how far it is, or its result in full. "
             "Without:\n"
             "shows where the judge runs, its announcements, its devices and how many\n"
             "submissions wait. The staff is also told who else has sent equal work, and "
             "which\n"
             "workers judge, and how far each GPU is from what is usual for it: on its "
             "newest\n"
             "day of the last 30, and its copy bandwidth on each of the last 7.",
    .example = "  warpjudge status\n"
               "  warpjudge status 7\n"
               "  warpjudge status --wait 7\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .most = 1,
    .run = status_verb,
};

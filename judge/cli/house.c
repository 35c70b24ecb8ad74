/* `house`: has the judge's own solutions judged, and tells what came of it. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/idle_run.h"
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>

#define PATH "/api/house"

/* --- what came of it ------------------------------------------------------ */

/* Prints a sentence for each row: its file, and why. */
static void
print_rows(const struct cli *cli, enum style style, const cJSON *rows)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, rows)
        terminal_print(&cli->out, style, "%s %s\n", answer_string(row, "file"),
                       answer_string(row, "why"));
}

static void
print_counts(const struct cli *cli, const cJSON *run)
{
    const char *board = answer_string(run, "board");
    const long kept = answer_count(run, "kept"), waiting = answer_count(run, "to_judge");
    struct text32 judged;

    terminal_print(&cli->out, STYLE_PLAIN, "%s judged on %s",
                   format_plural(&judged, answer_count(run, "judged"), "house solution"),
                   board);
    if (kept > 0)
        terminal_print(&cli->out, STYLE_PLAIN, "; %ld had a mark already", kept);
    if (waiting > 0 && strcmp(answer_string(run, "state"), "judging") == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "; %ld to go", waiting);
    terminal_print(&cli->out, STYLE_PLAIN, "\n");
}

/* Prints a run, under way or not. Returns the exit status. */
static int
show_run(struct cli *cli, const cJSON *run)
{
    const char *state = answer_string(run, "state");
    const cJSON *failed = answer_array(run, "failed");
    const bool json = cli->args.flag[FLAG_JSON] != NULL;

    if (json) {
        cli_print_json(cli, run);
    } else {
        print_counts(cli, run);
        print_rows(cli, STYLE_DIM, answer_array(run, "skipped"));
        print_rows(cli, STYLE_WARN, failed);
    }
    if (strcmp(state, "cancelled") == 0 && !json)
        report_fail(&cli->report, "the house was not judged to the end: %s",
                    answer_string(run, "message"));
    if (cJSON_GetArraySize(failed) > 0)
        return EXIT_JUDGE_FAILED;
    return strcmp(state, "cancelled") == 0 ? EXIT_OTHER_VERDICT : 0;
}

/* --- asking for it -------------------------------------------------------- */

static char *
house_progress(const cJSON *run)
{
    const long done =
        answer_count(run, "judged") + cJSON_GetArraySize(answer_array(run, "failed"));

    return xasprintf("the house: %ld judged, %ld to go, behind what people submit", done,
                     answer_count(run, "to_judge"));
}

static const struct idle_run HOUSE = {.path = PATH,
                                      .replaced =
                                          "another run of the house has begun since",
                                      .progress = house_progress};

/* The body of the request, or NULL and a report. */
static cJSON *
house_body(struct cli *cli)
{
    const bool all = cli->args.flag[FLAG_ALL] != NULL;
    const char *device = cli->args.flag[FLAG_DEVICE];
    struct buf slugs = {0};
    cJSON *body;

    if (all && cli->args.count > 1) {
        report_fail(&cli->report, "--all means all problems: name none beside it");
        return NULL;
    }
    body = cJSON_CreateObject();
    for (int i = 1; i < cli->args.count; i++)
        buf_printf(&slugs, "%s%s", i > 1 ? "," : "", cli->args.positional[i]);
    if (all)
        cJSON_AddStringToObject(body, "which", "all");
    else
        cJSON_AddStringToObject(body, "problems", buf_str(&slugs));
    if (device != NULL)
        cJSON_AddStringToObject(body, "device", device);
    buf_free(&slugs);
    return body;
}

static int
house_begin(struct cli *cli)
{
    cJSON *body = house_body(cli), *run = NULL;
    int status;

    if (body == NULL)
        return EXIT_BAD_INPUT;
    status = cli_connect(cli);
    if (status == 0)
        status =
            client_exit_status(client_post(cli->client, PATH, body, &run, &cli->report));
    cJSON_Delete(body);
    if (status == 0)
        status = idle_run_wait(cli, &HOUSE, &run);
    if (status == 0)
        status = show_run(cli, run);
    cJSON_Delete(run);
    return status;
}

/* Shows the run that is under way, or the last one; or cancels it first. */
static int
house_look(struct cli *cli, bool cancel)
{
    cJSON *run = NULL;
    int status = cli_connect(cli);

    if (status == 0)
        status = client_exit_status(
            cancel ? client_delete(cli->client, PATH, &run, &cli->report)
                   : client_get(cli->client, PATH, &run, &cli->report));
    if (status == 0 && !cancel)
        status = show_run(cli, run);
    else if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, run);
    else if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN,
                       "it is cancelled; the marks that it has made stay\n");
    cJSON_Delete(run);
    return status;
}

static int
house_verb(struct cli *cli)
{
    const char *word = cli->args.count == 2 ? cli->args.positional[1] : "";

    if (strcmp(word, "cancel") == 0)
        return house_look(cli, true);
    if (strcmp(word, "show") == 0 ||
        (cli->args.count == 1 && cli->args.flag[FLAG_ALL] == NULL))
        return house_look(cli, false);
    return house_begin(cli);
}

static const struct verb_flag flags[] = {
    {FLAG_ALL, "the solutions of all problems"},
    {FLAG_DEVICE, "the device, or kind of device, on whose boards the marks stand"},
    {FLAG_JSON, "the run as one JSON object"},
    {0, NULL},
};

const struct verb verb_house = {
    .name = "house",
    .arguments = "[SLUG... | show | cancel]",
    .summary = "have the judge's own solutions judged, as company on the boards",
    .about =
        "For admins. Judges the right solutions of solutions/: the steps of a problem's\n"
        "ladder, or its one right solution. It does so in idle time, behind what people\n"
        "submit. Each leaves a mark on the board: a time to beat, which takes no rank "
        "and\n"
        "counts in no percentile. `rank` names the steps that you have beaten, and "
        "shows\n"
        "the times of the others; a result says how many you have beaten.\n"
        "\n"
        "Marks are stored one by one. A second run judges only what is missing, or "
        "whose\n"
        "file or problem has changed. Ctrl-C ends the wait, and the run goes on: `show`\n"
        "tells how far it is, `cancel` ends it. A solution that is not accepted is a\n"
        "defect of the judge's, and the exit status is 4.",
    .example = "  warpjudge house vector-addition softmax\n"
               "  warpjudge house --all -d cuda:0\n"
               "  warpjudge house show\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .most = 10000,
    .run = house_verb,
};

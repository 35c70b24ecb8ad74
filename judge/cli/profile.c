/* `profile`: where the time of a kernel goes. The file goes to the judge as for `run`. */
#include "base/base64.h"
#include "base/file.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/source.h"
#include "cli/submit.h"

#include <stdio.h>

/* Writes the report of Nsight Compute, which the judge keeps as an array of bytes, to the
 * file of --output. */
static int
profile_write_report(struct cli *cli, const cJSON *answer)
{
    const cJSON *report = cJSON_GetArrayItem(answer_array(answer, "arrays"), 0);
    const char *path = cli->args.flag[FLAG_OUTPUT];
    struct buf bytes = {0};
    int status = 0;

    if (!base64_read(&bytes, answer_string(report, "data")) || bytes.len == 0) {
        report_fail(&cli->report, "the judge's answer with the report makes no sense");
        status = EXIT_JUDGE_FAILED;
    } else if (file_write(path, buf_str(&bytes), bytes.len, &cli->report) != 0) {
        status = EXIT_BAD_INPUT;
    } else {
        terminal_print(&cli->err, STYLE_DIM, "wrote %s\n", path);
    }
    buf_free(&bytes);
    return status;
}

static int
profile_fetch_report(struct cli *cli, int64_t id)
{
    cJSON *answer = NULL;
    enum client_result result;
    char url[64];
    int status;

    snprintf(url, sizeof url, "/api/submissions/%lld/arrays", (long long)id);
    result = client_get(cli->client, url, &answer, &cli->report);
    status = result == CLIENT_OK ? profile_write_report(cli, answer)
                                 : client_exit_status(result);
    cJSON_Delete(answer);
    return status;
}

static int
profile_verb(struct cli *cli)
{
    const bool sanitize = cli->args.flag[FLAG_SANITIZE] != NULL;
    const bool output = cli->args.flag[FLAG_OUTPUT] != NULL;
    struct source source = {0};
    int64_t id = 0;
    int status = EXIT_BAD_INPUT;

    if (sanitize && output) {
        report_fail(&cli->report, "--sanitize makes no report that --output could write");
        return EXIT_BAD_INPUT;
    }
    if (source_load(cli->args.positional[1], &source, &cli->report) == 0)
        status =
            submit_source(cli, &source, sanitize ? "sanitize" : "profile", NULL, &id);
    source_free(&source);
    if (status == 0)
        status = submit_wait(cli, (long)id);
    return status == EXIT_ACCEPTED && output ? profile_fetch_report(cli, id) : status;
}

static const struct verb_flag flags[] = {
    {FLAG_PROBLEM, "the problem, where the file does not name it"},
    {FLAG_DEVICE, "where to run: emu, cuda:0, ... (`warpjudge status` lists them)"},
    {FLAG_USER, "your name, instead of the login name"},
    {FLAG_OUTPUT, "on a GPU: write Nsight Compute's report there, an .ncu-rep file"},
    {FLAG_SANITIZE, "on a GPU: look for errors with compute-sanitizer instead"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_profile = {
    .name = "profile",
    .arguments = "FILE.cu",
    .summary = "show where a kernel's time goes, line by line",
    .about =
        "Runs the sample tests as `run` does, then calls solve() once more at the size "
        "of\n"
        "the benchmark, and tells of each kernel what bounds it: every unit's part, the\n"
        "occupancy and its limits, sectors of a request, bank conflicts, and the cost "
        "of\n"
        "every source line. The inputs are the same each time, so that two profiles can "
        "be\n"
        "compared. Nothing is ranked. The file names its problem as for `submit`.\n"
        "\n"
        "On emu all of that is counted. On a GPU Nsight Compute measures it, of the "
        "first\n"
        "32 launches. With --sanitize compute-sanitizer looks there for accesses out of\n"
        "bounds, races, reads of what was never written, and barriers that not all "
        "reach.\n"
        "On emu every call is checked for these anyway.",
    .example = "  warpjudge profile vec.cu\n"
               "  warpjudge profile --json vec.cu\n"
               "  warpjudge profile -d cuda:0 -o vec.ncu-rep vec.cu\n"
               "  warpjudge profile -d cuda:0 --sanitize vec.cu\n",
    .flags = flags,
    .kind = VERB_JUDGES,
    .least = 1,
    .most = 1,
    .missing = "name the file to profile, as in `warpjudge profile vec.cu`",
    .run = profile_verb,
};

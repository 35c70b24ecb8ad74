/* `profile`: where the time of a kernel goes. The file goes to the judge as for `run`. */
#include "cli/cli.h"
#include "cli/submit.h"

static int
profile_verb(struct cli *cli)
{
    return submit_and_wait(cli, "profile");
}

static const struct verb_flag flags[] = {
    {FLAG_PROBLEM, "the problem, where the file does not name it"},
    {FLAG_DEVICE, "where to run: emu, cuda:0, ... (`warpjudge status` lists them)"},
    {FLAG_USER, "your name, instead of the login name"},
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
        "compared. Nothing is ranked. The file names its problem as for `submit`.",
    .example = "  warpjudge profile vec.cu\n"
               "  warpjudge profile --json vec.cu\n",
    .flags = flags,
    .kind = VERB_JUDGES,
    .least = 1,
    .most = 1,
    .missing = "name the file to profile, as in `warpjudge profile vec.cu`",
    .run = profile_verb,
};

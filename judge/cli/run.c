/* `run`: the sample tests, or a case of one's own. The file goes to the judge as for
 * `submit`. */
#include "cli/cli.h"
#include "cli/own_case.h"
#include "cli/source.h"
#include "cli/submit.h"

static int
run_verb(struct cli *cli)
{
    struct source source = {0};
    cJSON *own_case = NULL;
    int64_t id = 0;
    int status = EXIT_BAD_INPUT, dumped;

    if (own_case_of_flags(cli, &own_case, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (source_load(cli->args.positional[1], &source, &cli->report) == 0)
        status = submit_source(cli, &source, "run", own_case, &id);
    else
        cJSON_Delete(own_case);
    source_free(&source);
    if (status == 0)
        status = submit_wait(cli, (long)id);
    if (cli->args.flag[FLAG_DUMP] == NULL || id == 0 ||
        (status != EXIT_ACCEPTED && status != EXIT_OTHER_VERDICT))
        return status;
    dumped = own_case_dump(cli, (long)id);
    return dumped != 0 ? dumped : status;
}

static const struct verb_flag flags[] = {
    {FLAG_PROBLEM, "the problem, where the file does not name it"},
    {FLAG_DEVICE, "where to run: emu, cuda:0, ... (`warpjudge status` lists them)"},
    {FLAG_USER, "your name, instead of the login name"},
    {FLAG_SIZE, "run a case of your own: one of its sizes"},
    {FLAG_VALUES, "of an input: ones, zeros, ramp, random, FILE.npy"},
    {FLAG_SEED, "draw its values by this number, or by 0"},
    {FLAG_DUMP, "write its inputs and outputs there, as .npy files"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_run = {
    .name = "run",
    .arguments = "FILE.cu",
    .summary = "run the sample tests only, or a case of your own",
    .about = "Compiles FILE.cu and runs its solve() on the problem's sample tests. Shows "
             "their\n"
             "inputs, your outputs and the expected ones. Nothing is timed or ranked. "
             "The file\n"
             "names its problem as for `submit`.\n"
             "\n"
             "With --size, --values, --seed or --dump a case of your own is run "
             "instead.\n"
             "Sizes that you do not name are those of the first sample test. Other "
             "inputs are\n"
             "drawn as the problem draws them; a seed gives the same values each time.\n"
             "Shows the first elements that are wrong. --size and --values may stand "
             "several\n"
             "times. The file - is the standard input.",
    .example =
        "  warpjudge run vec.cu\n"
        "  warpjudge run vec.cu --size N=100003 --values A=ones --values B=b.npy\n",
    .flags = flags,
    .kind = VERB_JUDGES,
    .least = 1,
    .most = 1,
    .missing = "name the file to run, as in `warpjudge run vec.cu`",
    .run = run_verb,
};

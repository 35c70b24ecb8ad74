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
    {FLAG_SIZE, "run one case of your own, of this size; once for each size"},
    {FLAG_VALUES, "with these values of an input: ones, zeros, ramp, random or FILE.npy"},
    {FLAG_SEED, "draw the other values by this number; 0 unless said otherwise"},
    {FLAG_DUMP, "write the inputs, outputs and expected outputs there, as .npy files"},
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
             "With --size, --values, --seed or --dump one case of your own is run "
             "instead. Sizes\n"
             "that you do not name are those of the first sample test, and inputs are "
             "drawn as\n"
             "the problem draws them. The same seed gives the same values each time. "
             "Shows the\n"
             "first elements that are wrong.",
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

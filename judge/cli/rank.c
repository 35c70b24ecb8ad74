/* `rank`: finds out which board is asked for, and prints it for a person or a script. */
#include "cli/rank.h"

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/csv.h"

/* Gets the boards that today's lists as older. The caller deletes *out. */
static int
get_older(struct cli *cli, const cJSON *today, const struct rank_page *page, cJSON **out)
{
    const cJSON *b;
    int status = 0;

    *out = cJSON_CreateArray();
    cJSON_ArrayForEach(b, answer_array(today, "older"))
    {
        cJSON *board = NULL;

        if (status == 0)
            status = rank_get_board(cli, answer_string(b, "meaning"), page, &board);
        if (status == 0)
            cJSON_AddItemToArray(*out, board);
    }
    return status;
}

static void
print_older(struct cli *cli, const cJSON *today, const cJSON *boards)
{
    const struct rank_page whole = {.number = 1};
    const cJSON *b;

    cJSON_ArrayForEach(b, boards)
    {
        terminal_print(&cli->out, STYLE_PLAIN, "%s", b == boards->child ? "" : "\n");
        rank_print_board(cli, b, &whole);
    }
    if (cJSON_GetArraySize(boards) == 0)
        terminal_paragraph(&cli->out, STYLE_PLAIN, 0,
                           "%s on %s has no entries of before it began anew",
                           answer_string(today, "title"), answer_string(today, "board"));
}

static int
rank_older(struct cli *cli)
{
    const struct rank_page none = {.rows = 1, .number = 1};
    struct rank_page whole = {.number = 1};
    cJSON *today = NULL, *older = NULL;
    int status;

    if (cli->args.flag[FLAG_PAGE] != NULL || cli->args.flag[FLAG_AROUND] != NULL ||
        cli->args.flag[FLAG_CSV] != NULL) {
        report_fail(&cli->report,
                    "--older shows boards as a whole: it takes no --page, --around or "
                    "--csv");
        return EXIT_BAD_INPUT;
    }
    if (cli->args.flag[FLAG_LIMIT] != NULL) {
        status = rank_take_page(cli, &whole);
        if (status != 0)
            return status;
    }
    status = rank_get_board(cli, NULL, &none, &today);
    if (status == 0)
        status = get_older(cli, today, &whole, &older);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, older);
    else if (status == 0)
        print_older(cli, today, older);
    cJSON_Delete(today);
    cJSON_Delete(older);
    return status;
}

static int
rank_board(struct cli *cli)
{
    static const char *const KEYS[] = {
        "rank",       "user",        "display_name", "house",      "submission",
        "time_ns",    "low_ns",      "high_ns",      "percentile", "bandwidth_gbs",
        "gflops",     "limit_share", "review",       "insecure",   "remark",
        "created_ms", NULL};
    struct rank_page page;
    cJSON *board = NULL;
    int status = rank_take_page(cli, &page);

    if (status == 0)
        status = rank_get_board(cli, NULL, &page, &board);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, board);
    else if (status == 0 && cli->args.flag[FLAG_CSV] != NULL)
        csv_print(cli->out.file, KEYS, answer_array(board, "entries"));
    else if (status == 0)
        rank_print_board(cli, board, &page);
    cJSON_Delete(board);
    return status;
}

/* Is what is asked for one thing? */
static int
check_what(struct cli *cli)
{
    const bool all = cli->args.flag[FLAG_ALL] != NULL;

    if (!all && cli->args.count < 2)
        report_fail(&cli->report, "name the problem, as in `warpjudge rank "
                                  "vector-addition`, or say --all");
    else if (all && cli->args.count > 1)
        report_fail(&cli->report, "--all is about all problems: leave out \"%s\"",
                    cli->args.positional[1]);
    else if (all && cli->args.flag[FLAG_GROUP] != NULL)
        report_fail(&cli->report, "--all and --group contradict each other: give one");
    else if (all && cli->args.flag[FLAG_OLDER] != NULL)
        report_fail(&cli->report, "--all and --older contradict each other: give one");
    else
        return 0;
    return EXIT_BAD_INPUT;
}

static int
rank_verb(struct cli *cli)
{
    int status = check_what(cli);

    if (status == 0)
        status = cli_connect(cli);
    if (status != 0)
        return status;
    if (cli->args.flag[FLAG_ALL] != NULL)
        return rank_all(cli);
    return cli->args.flag[FLAG_OLDER] != NULL ? rank_older(cli) : rank_board(cli);
}

static const struct verb_flag flags[] = {
    {FLAG_DEVICE,
     "the board of this device (cuda:0) or kind of device (\"NVIDIA H200\")"},
    {FLAG_ALL, "the standing over all problems on a kind of device"},
    {FLAG_OLDER, "the entries of before the board began anew, a board for each time"},
    {FLAG_LIMIT, "how many rows at most, from 1 to 1000; otherwise 50"},
    {FLAG_PAGE, "the page of so many rows, from 1 on"},
    {FLAG_AROUND, "the rows around this user's"},
    {FLAG_GROUP, "only the members of this group, ranked among themselves"},
    {FLAG_USER, "whose line is set in bold, instead of yours"},
    {FLAG_JSON, "the board as one JSON object, or the older ones as an array"},
    {FLAG_CSV, "the entries as CSV, with a line of names first"},
    {0, NULL},
};

const struct verb verb_rank = {
    .name = "rank",
    .arguments = "SLUG | --all",
    .summary = "show a problem's board, or the standing over all problems",
    .about =
        "Lists the best accepted submission of each user, fastest first, and how the "
        "times\n"
        "are spread. Each kind of device has a board of its own. The percentile is the\n"
        "share of the other entries that are slower; equal times count half. Beside the\n"
        "share of the limit: * a person should look, ~ `status` has a note, ! judged\n"
        "without a sandbox.\n"
        "\n"
        "A board ranks what was judged by the problem as it is today. After a change of "
        "its\n"
        "tests, sizes, tolerance or reference the entries of before stand on boards of "
        "their\n"
        "own (--older), and count again if the change is taken back.\n"
        "\n"
        "--group GROUP ranks the members of a group among themselves, for who is in it.\n"
        "\n"
        "--all adds up what everybody has earned on all boards of a kind of device, and\n"
        "says below how.\n"
        "\n"
        "On a terminal the table is cut to its width: the columns on the right go first. "
        "A\n"
        "pipe gets everything. --json and --csv give the whole board, and of --all the "
        "first\n"
        "1000 rows, unless -n, --page or --around says otherwise.",
    .example = "  warpjudge rank vector-addition\n"
               "  warpjudge rank softmax --device \"NVIDIA H200\" -n 10 --page 2\n"
               "  warpjudge rank softmax --around ada\n"
               "  warpjudge rank softmax --csv > softmax.csv\n"
               "  warpjudge rank --all\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .most = 1,
    .run = rank_verb,
};

/* `rank`: prints the board of a problem as a table and as a histogram of its times. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAR_COLUMNS 32

/* The marks of an entry, which stand beside its share of the roofline. */
static const struct mark {
    const char *key; /* the entry has the mark where this is true or a text */
    const char *sign, *meaning;
} marks[] = {
    {"review", "*", "at the hardware's limit, or nearly: a person should look"},
    {"remark", "~", "there is more to say of this entry: `warpjudge status SUBMISSION`"},
    {"insecure", "!", "judged without a sandbox, so that nothing kept it from cheating"},
};

static bool
is_marked(const cJSON *e, const struct mark *m)
{
    return answer_true(e, m->key) || answer_string(e, m->key)[0] != '\0';
}

static void
print_roofline_share(struct table *table, const cJSON *e)
{
    double share = answer_number(e, "limit_share");
    struct text32 text;
    struct buf cell = {0};

    buf_puts(&cell, isnan(share) ? "" : format_percent(&text, 100 * share));
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (is_marked(e, &marks[i]))
            buf_printf(&cell, " %s", marks[i].sign);
    table_cell(table, "%s", buf_str(&cell));
    buf_free(&cell);
}

/* Prints what the marks mean that the board has. */
static void
print_marks(const struct terminal *t, const cJSON *entries)
{
    const char *before = "\n";

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        bool any = false;
        const cJSON *e;

        cJSON_ArrayForEach(e, entries) any = any || is_marked(e, &marks[i]);
        if (!any)
            continue;
        terminal_print(t, STYLE_DIM, "%s%s  %s\n", before, marks[i].sign,
                       marks[i].meaning);
        before = "";
    }
}

/* A display name stands in quotation marks, so that it is not taken for the user. */
static void
print_user(struct table *table, const cJSON *e)
{
    const char *user = answer_string(e, "user"),
               *shown = answer_string(e, "display_name");

    if (shown[0] != '\0')
        table_cell(table, "%s \"%s\"", user, shown);
    else
        table_cell(table, "%s%s", user, answer_true(e, "house") ? " (house)" : "");
}

static void
print_entries(struct cli *cli, const cJSON *entries)
{
    static const struct column columns[] = {
        {"rank", true},       {"user", false},      {"time", true},
        {"percentile", true}, {"GB/s", true},       {"GFLOP/s", true},
        {"of limit", true},   {"submission", true}, {"since", false},
    };
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    const char *me = cli_user(cli);
    const cJSON *e;

    cJSON_ArrayForEach(e, entries)
    {
        const char *user = answer_string(e, "user");
        struct text32 text;

        table_row(table, strcmp(user, me) == 0 ? STYLE_BOLD : STYLE_PLAIN);
        table_cell(table, "%ld", answer_count(e, "rank"));
        print_user(table, e);
        table_cell(table, "%s",
                   format_time(&text, answer_number(e, "time_ns"), cli->out.utf8));
        table_cell(table, "%s", format_percent(&text, answer_number(e, "percentile")));
        table_cell(table, "%s", format_rate(&text, answer_number(e, "bandwidth_gbs")));
        table_cell(table, "%s", format_rate(&text, answer_number(e, "gflops")));
        print_roofline_share(table, e);
        table_cell(table, "%ld", answer_count(e, "submission"));
        table_cell(table, "%s", format_date(&text, answer_number(e, "created_ms")));
    }
    table_print(table, &cli->out);
    table_free(table);
}

static void
print_histogram(const struct terminal *t, const cJSON *histogram)
{
    static const struct column columns[] = {
        {"from", true}, {"to", true}, {"entries", false}};
    struct table *table;
    const cJSON *bucket;
    long most = 0;

    cJSON_ArrayForEach(bucket, histogram) most =
        answer_count(bucket, "count") > most ? answer_count(bucket, "count") : most;
    if (most == 0 || cJSON_GetArraySize(histogram) < 2)
        return;
    table = table_new(columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(bucket, histogram)
    {
        long count = answer_count(bucket, "count");
        struct text32 text;
        struct buf bar = {0};

        format_bar(&bar, (double)count / (double)most, BAR_COLUMNS, t->utf8);
        table_row(table, STYLE_PLAIN);
        table_cell(table, "%s",
                   format_time(&text, answer_number(bucket, "from_ns"), t->utf8));
        table_cell(table, "%s",
                   format_time(&text, answer_number(bucket, "to_ns"), t->utf8));
        table_cell(table, "%s%s%ld", buf_str(&bar), count > 0 ? " " : "", count);
        buf_free(&bar);
    }
    terminal_print(t, STYLE_PLAIN, "\n");
    table_print(table, t);
    table_free(table);
}

static void
print_board_head(const struct terminal *t, const cJSON *board)
{
    const char *sizes = answer_string(board, "sizes");

    terminal_print(t, STYLE_BOLD, "%s", answer_string(board, "title"));
    terminal_print(t, STYLE_PLAIN, " on %s", answer_string(board, "board"));
    if (sizes[0] != '\0')
        terminal_print(t, STYLE_PLAIN, ", %s", sizes);
    if (cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(board, "current")))
        terminal_print(t, STYLE_WARN, "  of before the board began anew");
    if (answer_true(board, "modelled"))
        terminal_print(t, STYLE_WARN, "  times are modelled, not measured");
    terminal_print(t, STYLE_PLAIN, "\n\n");
}

/* Prints how many entries belong to what the problem was before. */
static void
print_older_count(const struct terminal *t, const cJSON *board)
{
    const cJSON *b;
    long entries = 0;

    cJSON_ArrayForEach(b, answer_array(board, "older")) entries +=
        answer_count(b, "entries");
    if (entries > 0)
        terminal_print(t, STYLE_DIM,
                       "\n%ld %s of before the board began anew: `warpjudge rank %s "
                       "--older`\n",
                       entries, entries == 1 ? "entry" : "entries",
                       answer_string(board, "problem"));
}

static void
print_board(struct cli *cli, const cJSON *board)
{
    const cJSON *entries = answer_array(board, "entries");

    print_board_head(&cli->out, board);
    if (cJSON_GetArraySize(entries) == 0 && answer_string(board, "refused")[0] != '\0') {
        terminal_print(&cli->out, STYLE_PLAIN, "nobody is on this board: %s\n",
                       answer_string(board, "refused"));
    } else if (cJSON_GetArraySize(entries) == 0) {
        terminal_print(&cli->out, STYLE_PLAIN,
                       "nobody is on this board yet: `warpjudge submit -p %s FILE.cu`\n",
                       answer_string(board, "problem"));
    } else {
        print_entries(cli, entries);
        print_marks(&cli->out, entries);
        print_histogram(&cli->out, answer_array(board, "histogram"));
    }
    print_older_count(&cli->out, board);
}

/* GETs a board of the problem; a NULL meaning is today's. */
static int
get_board(struct cli *cli, const char *meaning, cJSON **out)
{
    const char *device = cli->args.flag[FLAG_DEVICE];
    char *slug = client_escape(cli->args.positional[1]);
    char *name = client_escape(device != NULL ? device : "");
    char *of = client_escape(meaning != NULL ? meaning : "");
    const char *before_of = device != NULL ? "&meaning=" : "?meaning=";
    char *path = xasprintf("/api/problems/%s/board%s%s%s%s", slug,
                           device != NULL ? "?device=" : "", name,
                           meaning != NULL ? before_of : "", of);
    int status;

    status = client_exit_status(client_get(cli->client, path, out, &cli->report));
    free(path);
    free(of);
    free(name);
    free(slug);
    return status;
}

/* Gets the boards that today's lists as older. The caller deletes *out. */
static int
get_older(struct cli *cli, const cJSON *today, cJSON **out)
{
    const cJSON *b;
    int status = 0;

    *out = cJSON_CreateArray();
    cJSON_ArrayForEach(b, answer_array(today, "older"))
    {
        cJSON *board = NULL;

        if (status == 0)
            status = get_board(cli, answer_string(b, "meaning"), &board);
        if (status == 0)
            cJSON_AddItemToArray(*out, board);
    }
    return status;
}

static void
print_older(struct cli *cli, const cJSON *today, const cJSON *boards)
{
    const cJSON *b;

    cJSON_ArrayForEach(b, boards)
    {
        terminal_print(&cli->out, STYLE_PLAIN, "%s", b == boards->child ? "" : "\n");
        print_board(cli, b);
    }
    if (cJSON_GetArraySize(boards) == 0)
        terminal_print(&cli->out, STYLE_PLAIN,
                       "%s on %s has no entries of before it began anew\n",
                       answer_string(today, "title"), answer_string(today, "board"));
}

static int
rank_verb(struct cli *cli)
{
    const bool wants_older = cli->args.flag[FLAG_OLDER] != NULL;
    int status = cli_connect(cli);
    cJSON *board = NULL, *older = NULL;

    if (status == 0)
        status = get_board(cli, NULL, &board);
    if (status == 0 && wants_older)
        status = get_older(cli, board, &older);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, wants_older ? older : board);
    else if (status == 0 && wants_older)
        print_older(cli, board, older);
    else if (status == 0)
        print_board(cli, board);
    cJSON_Delete(board);
    cJSON_Delete(older);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_DEVICE,
     "the board of this device (cuda:0) or kind of device (\"NVIDIA H200\")"},
    {FLAG_OLDER, "the entries of before the board began anew, a board for each time"},
    {FLAG_USER, "whose line is set in bold, instead of yours"},
    {FLAG_JSON, "the board as one JSON object, or the older ones as an array"},
    {0, NULL},
};

const struct verb verb_rank = {
    .name = "rank",
    .arguments = "SLUG",
    .summary = "show a problem's board",
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
        "own (--older), and count again if the change is taken back.",
    .example = "  warpjudge rank vector-addition\n"
               "  warpjudge rank softmax --device \"NVIDIA H200\"\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 1,
    .missing = "name the problem, as in `warpjudge rank vector-addition`",
    .run = rank_verb,
};

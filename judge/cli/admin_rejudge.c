/* `admin rejudge`: has submissions judged again, and tells what that changes. */
#include "cli/admin_rejudge.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/idle_run.h"
#include "cli/result.h"
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

#define PATH "/api/rejudgement"

/* --- what came of it ---------------------------------------------------- */

static void
print_verdicts(const struct cli *cli, const cJSON *rows)
{
    static const struct column columns[] = {{"submission", true}, {"user", false},
                                            {"problem", false},   {"device", false},
                                            {"before", false},    {"after", false}};
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    const cJSON *row;

    cJSON_ArrayForEach(row, rows)
    {
        table_row(table, STYLE_PLAIN);
        table_cell(table, "%ld", answer_count(row, "submission"));
        table_cell(table, "%s", answer_string(row, "user"));
        table_cell(table, "%s", answer_string(row, "problem"));
        table_cell(table, "%s", answer_string(row, "device"));
        table_cell(table, "%s", verdict_shown(answer_string(row, "before")));
        table_cell(table, "%s", verdict_shown(answer_string(row, "after")));
    }
    table_print(table, &cli->out);
    table_free(table);
}

/* A rank, or "-" where there is none. */
static const char *
rank_text(struct text32 *out, const cJSON *row, const char *key)
{
    const long rank = answer_count(row, key);

    if (rank > 0)
        return format_ordinal(out, rank);
    strcpy(out->s, "-");
    return out->s;
}

static void
print_ranks(const struct cli *cli, const cJSON *rows)
{
    static const struct column columns[] = {{"problem", false}, {"board", false},
                                            {"user", false},    {"submission", true},
                                            {"before", true},   {"after", true}};
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    struct text32 text;
    const cJSON *row;

    cJSON_ArrayForEach(row, rows)
    {
        table_row(table, STYLE_PLAIN);
        table_cell(table, "%s", answer_string(row, "problem"));
        table_cell(table, "%s", answer_string(row, "board"));
        table_cell(table, "%s", answer_string(row, "user"));
        table_cell(table, "%ld", answer_count(row, "submission"));
        table_cell(table, "%s", rank_text(&text, row, "before"));
        table_cell(table, "%s", rank_text(&text, row, "after"));
    }
    table_print(table, &cli->out);
    table_free(table);
}

/* Prints how many of something change: "2 verdicts would change:". */
static void
print_count(const struct cli *cli, long count, const char *noun, const char *change)
{
    struct text32 text;

    if (count == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "\nno %s %s\n", noun, change);
    else
        terminal_print(&cli->out, STYLE_BOLD, "\n%s %s\n",
                       format_plural(&text, count, noun), change);
}

static void
print_changes(const struct cli *cli, const cJSON *run)
{
    const bool preview = answer_true(run, "preview");
    const char *change = preview ? "would change" : "changed";
    const cJSON *verdicts = answer_array(run, "verdicts"),
                *ranks = answer_array(run, "ranks");
    const long total = answer_count(run, "ranks_changed"),
               older = answer_count(run, "older_ranks_changed");
    struct text32 text;

    print_count(cli, cJSON_GetArraySize(verdicts), "verdict", change);
    if (cJSON_GetArraySize(verdicts) > 0)
        print_verdicts(cli, verdicts);
    print_count(cli, total, "rank", change);
    if (total > 0)
        print_ranks(cli, ranks);
    if (total > cJSON_GetArraySize(ranks))
        terminal_print(&cli->out, STYLE_DIM, "(the first %d of them)\n",
                       cJSON_GetArraySize(ranks));
    if (older > 0)
        terminal_print(&cli->out, STYLE_DIM,
                       "%s of before the board began anew %s, too\n",
                       format_plural(&text, older, "rank"), change);
}

/* Prints a run that is not under way any more, or one that is. Returns the exit status.
 */
static int
print_run(struct cli *cli, const cJSON *run)
{
    const char *state = answer_string(run, "state"), *why = answer_string(run, "message");
    const long left_out = answer_count(run, "left_out");
    struct text32 count, rest;

    format_plural(&count, answer_count(run, "submissions"), "submission");
    if (strcmp(state, "failed") == 0 || strcmp(state, "cancelled") == 0) {
        report_fail(&cli->report, "no result was replaced: %s", why);
        return strcmp(state, "failed") == 0 ? EXIT_JUDGE_FAILED : EXIT_OTHER_VERDICT;
    }
    if (strcmp(state, "judging") == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "%ld of %s judged again so far\n",
                       answer_count(run, "judged"), count.s);
    else if (answer_true(run, "preview"))
        terminal_print(&cli->out, STYLE_PLAIN,
                       "%s judged again as a preview: nothing was written\n", count.s);
    else
        terminal_print(&cli->out, STYLE_PLAIN,
                       "%s judged again; their results have replaced the old ones\n",
                       count.s);
    if (left_out > 0)
        terminal_print(&cli->out, STYLE_DIM, "%s cannot be judged again here\n",
                       format_plural(&rest, left_out, "submission"));
    if (strcmp(state, "judging") != 0)
        print_changes(cli, run);
    return 0;
}

static int
show_run(struct cli *cli, const cJSON *run)
{
    const char *state = answer_string(run, "state");

    if (cli->args.flag[FLAG_JSON] == NULL)
        return print_run(cli, run);
    cli_print_json(cli, run);
    return strcmp(state, "failed") == 0      ? EXIT_JUDGE_FAILED
           : strcmp(state, "cancelled") == 0 ? EXIT_OTHER_VERDICT
                                             : 0;
}

/* --- asking for it ------------------------------------------------------ */

static char *
rejudgement_progress(const cJSON *run)
{
    return xasprintf("judging again: %ld of %ld, behind what people submit",
                     answer_count(run, "judged"), answer_count(run, "submissions"));
}

static const struct idle_run REJUDGEMENT = {
    .path = PATH,
    .replaced = "another rejudgement has begun since; `warpjudge history` shows what "
                "this one has changed",
    .progress = rejudgement_progress};

/* The numbers with commas between them, or NULL and a report. The caller frees. */
static char *
join_numbers(struct cli *cli, const char *const *words, int count)
{
    struct buf text = {0};
    long id;

    for (int i = 0; i < count; i++) {
        if (args_submission(words[i], &id, &cli->report) != 0) {
            buf_free(&text);
            return NULL;
        }
        buf_printf(&text, "%s%ld", i > 0 ? "," : "", id);
    }
    return buf_take(&text);
}

/* The body of the request, or NULL and a report. */
static cJSON *
rejudge_body(struct cli *cli, const char *const *words, int count)
{
    const char *const *flag = cli->args.flag;
    cJSON *body = cJSON_CreateObject();

    if (count > 0) {
        char *numbers = join_numbers(cli, words, count);

        if (numbers == NULL) {
            cJSON_Delete(body);
            return NULL;
        }
        cJSON_AddStringToObject(body, "submissions", numbers);
        free(numbers);
    }
    if (flag[FLAG_PROBLEM] != NULL)
        cJSON_AddStringToObject(body, "problem", flag[FLAG_PROBLEM]);
    if (flag[FLAG_DEVICE] != NULL)
        cJSON_AddStringToObject(body, "device", flag[FLAG_DEVICE]);
    if (flag[FLAG_CHANGED] != NULL)
        cJSON_AddStringToObject(body, "which", "changed");
    cJSON_AddStringToObject(body, "mode",
                            flag[FLAG_PREVIEW] != NULL ? "preview" : "replace");
    return body;
}

/* Shows the run that is under way, or the last one; or cancels it first. */
static int
rejudge_look(struct cli *cli, bool cancel)
{
    cJSON *run = NULL;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status =
        client_exit_status(cancel ? client_delete(cli->client, PATH, &run, &cli->report)
                                  : client_get(cli->client, PATH, &run, &cli->report));
    if (status == 0 && cancel && cli->args.flag[FLAG_JSON] == NULL)
        terminal_print(&cli->out, STYLE_PLAIN,
                       "it is cancelled; no result was replaced\n");
    else if (status == 0 && cancel)
        cli_print_json(cli, run);
    else if (status == 0)
        status = show_run(cli, run);
    cJSON_Delete(run);
    return status;
}

int
admin_rejudge(struct cli *cli, const char *const *words, int count)
{
    cJSON *body, *run = NULL;
    int status;

    if (count == 1 && strcmp(words[0], "show") == 0)
        return rejudge_look(cli, false);
    if (count == 1 && strcmp(words[0], "cancel") == 0)
        return rejudge_look(cli, true);
    body = rejudge_body(cli, words, count);
    if (body == NULL)
        return EXIT_BAD_INPUT;
    status = cli_connect(cli);
    if (status == 0)
        status =
            client_exit_status(client_post(cli->client, PATH, body, &run, &cli->report));
    cJSON_Delete(body);
    if (status == 0)
        status = idle_run_wait(cli, &REJUDGEMENT, &run);
    if (status == 0)
        status = show_run(cli, run);
    cJSON_Delete(run);
    return status;
}

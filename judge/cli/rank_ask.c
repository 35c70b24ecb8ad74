/* Asks the judge for pages of boards and of other lists with ranks. */
#include "cli/rank.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"

#include <stdlib.h>

#define PAGE_MOST 1000000000

int
rank_take_page(struct cli *cli, struct rank_page *out)
{
    const char *const *flag = cli->args.flag;
    const bool script = flag[FLAG_JSON] != NULL || flag[FLAG_CSV] != NULL;
    const bool chosen =
        flag[FLAG_LIMIT] != NULL || flag[FLAG_PAGE] != NULL || flag[FLAG_AROUND] != NULL;
    struct rank_page page = {.rows = script && !chosen ? 0 : RANK_ROWS,
                             .number = 1,
                             .around = flag[FLAG_AROUND]};

    if (flag[FLAG_LIMIT] != NULL && args_number(&cli->args, FLAG_LIMIT, RANK_ROWS_MOST,
                                                &page.rows, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (flag[FLAG_PAGE] != NULL &&
        args_number(&cli->args, FLAG_PAGE, PAGE_MOST, &page.number, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    if (page.around != NULL && flag[FLAG_PAGE] != NULL) {
        report_fail(&cli->report, "--around and --page contradict each other: give one");
        return EXIT_BAD_INPUT;
    }
    if (flag[FLAG_JSON] != NULL && flag[FLAG_CSV] != NULL) {
        report_fail(&cli->report, "--json and --csv contradict each other: give one");
        return EXIT_BAD_INPUT;
    }
    *out = page;
    return 0;
}

int
rank_get_page(struct cli *cli, const char *path, const struct rank_page *page,
              cJSON **out)
{
    struct buf text = {0};
    int status;

    buf_puts(&text, path);
    if (page->rows > 0)
        buf_printf(&text, "&limit=%ld", page->rows);
    if (page->around != NULL) {
        char *user = client_escape(page->around);

        buf_printf(&text, "&around=%s", user);
        free(user);
    } else if (page->number > 1) {
        buf_printf(&text, "&page=%ld", page->number);
    }
    status =
        client_exit_status(client_get(cli->client, buf_str(&text), out, &cli->report));
    buf_free(&text);
    return status;
}

bool
rank_has_more(const cJSON *list)
{
    return answer_count(list, "first") - 1 +
               cJSON_GetArraySize(answer_array(list, "entries")) <
           answer_count(list, "total");
}

int
rank_get_board(struct cli *cli, const char *meaning, const struct rank_page *page,
               cJSON **out)
{
    const char *device = cli->args.flag[FLAG_DEVICE];
    char *slug = client_escape(cli->args.positional[1]);
    char *name = client_escape(device != NULL ? device : "");
    char *of = client_escape(meaning != NULL ? meaning : "");
    const char *said = cli_said_user(cli);
    char *user = client_escape(said != NULL ? said : "");
    const char *of_group = cli->args.flag[FLAG_GROUP];
    char *group = client_escape(of_group != NULL ? of_group : "");
    char *path =
        xasprintf("/api/problems/%s/board?device=%s&meaning=%s&user=%s%s%s", slug, name,
                  of, user, of_group != NULL ? "&group=" : "", group);
    int status = rank_get_page(cli, path, page, out);

    free(path);
    free(group);
    free(user);
    free(of);
    free(name);
    free(slug);
    return status;
}

cJSON *
rank_get_own_entry(struct cli *cli, const char *meaning, const char *user)
{
    const struct rank_page around = {.rows = 1, .number = 1, .around = user};
    const struct report before = cli->report;
    cJSON *board = NULL;

    /* A user without an entry, or an older judge, is no error here. */
    if (rank_get_board(cli, meaning, &around, &board) != 0)
        cli->report = before;
    return board;
}

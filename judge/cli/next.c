/* `next`: what to do next in the course, and why. */
#include "cli/next.h"
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "problem/names.h"

#include <stdlib.h>

#define NEXT_MOST 20

/* Asks for a user's next problems. A login that no user of the judge's could have is
 * asked for by nobody. */
static enum client_result
next_ask(struct cli *cli, const char *user, long limit, cJSON **out, struct report *r)
{
    struct report ignored = {0};
    const bool told = cli_said_user(cli) != NULL || user_name_check(user, &ignored) == 0;
    char *name = client_escape(told ? user : "");
    char *path = xasprintf("/api/next?limit=%ld%s%s", limit, told ? "&user=" : "", name);
    const enum client_result result = client_get(cli->client, path, out, r);

    free(path);
    free(name);
    return result;
}

static void
print_problem(const struct terminal *t, const cJSON *p)
{
    const char *about = answer_string(p, "about"), *lesson = answer_string(p, "lesson");

    terminal_print(t, STYLE_BOLD, "%s", answer_string(p, "problem"));
    terminal_print(t, STYLE_PLAIN, "  %s, %s\n", answer_string(p, "title"),
                   answer_string(p, "difficulty"));
    terminal_paragraph(t, STYLE_PLAIN, 2, "%s", answer_string(p, "reason"));
    if (about[0] != '\0')
        terminal_paragraph(t, STYLE_DIM, 2, "%s: %s", lesson, about);
}

static void
print_next(const struct terminal *t, const cJSON *answer)
{
    const cJSON *list = answer_array(answer, "next"), *p;
    const long solved = answer_count(answer, "solved"), of = answer_count(answer, "of");

    cJSON_ArrayForEach(p, list)
    {
        if (p == list->child->next)
            terminal_print(t, STYLE_PLAIN, "\nor\n");
        terminal_print(t, STYLE_PLAIN, p != list->child ? "\n" : "");
        print_problem(t, p);
    }
    if (list == NULL || list->child == NULL)
        terminal_print(t, STYLE_GOOD,
                       of == 0 ? "there are no problems yet\n"
                               : "there is nothing left to solve here\n");
    if (of > 0)
        terminal_print(t, STYLE_DIM, "\n%ld of %ld solved\n", solved, of);
    if (list != NULL && list->child != NULL)
        terminal_print(t, STYLE_DIM, "`warpjudge init %s` writes a file to start from\n",
                       answer_string(list->child, "problem"));
}

void
next_print_line(struct cli *cli, const char *user)
{
    struct report ignored = {0};
    cJSON *answer = NULL;
    const cJSON *list, *p;

    if (next_ask(cli, user, 1, &answer, &ignored) == CLIENT_OK) {
        list = answer_array(answer, "next");
        p = list != NULL ? list->child : NULL;
        if (p != NULL)
            terminal_paragraph(
                &cli->out, STYLE_DIM, 0, "next: %s (%s), because %s (`warpjudge next`)",
                answer_string(p, "problem"), answer_string(p, "difficulty"),
                answer_string(p, "reason"));
    }
    cJSON_Delete(answer);
}

static int
next_verb(struct cli *cli)
{
    long limit = 3;
    cJSON *answer = NULL;
    int status;

    if (cli->args.flag[FLAG_LIMIT] != NULL &&
        args_number(&cli->args, FLAG_LIMIT, NEXT_MOST, &limit, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    status = cli_connect(cli);
    if (status == 0)
        status = client_exit_status(
            next_ask(cli, cli_user(cli), limit, &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        print_next(&cli->out, answer);
    cJSON_Delete(answer);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_LIMIT, "how many problems at most, from 1 to 20; otherwise 3"},
    {FLAG_USER, "what is next for this user, instead of you"},
    {FLAG_JSON, "the problems with their reasons as one JSON object"},
    {0, NULL},
};

const struct verb verb_next = {
    .name = "next",
    .arguments = "",
    .summary = "say what to do next, and why",
    .about =
        "Names the problem that comes next in the course for you, and one or two to "
        "choose\n"
        "instead. The course has lessons, from the first kernel to two GPUs; each "
        "problem\n"
        "teaches one or two of them, and comes after one or two others. Next is what "
        "leads\n"
        "to the first lesson that nothing you have solved has taught. When all are "
        "learned,\n"
        "the other problems follow as practice, easy ones first.",
    .example = "  warpjudge next\n"
               "  warpjudge next -n 1 --json\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .run = next_verb,
};

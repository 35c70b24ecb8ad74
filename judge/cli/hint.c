/* `hint`: tells the idea of a step of a problem's ladder, or prints its file. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/house_marks.h"
#include "cli/text.h"

#include <stdlib.h>

#define WIDTH_MOST 90 /* longer lines are hard to read */

static void
print_wrapped(const struct terminal *t, const char *text)
{
    struct buf lines = {0};

    text_wrap(&lines, text, 2, t->width < WIDTH_MOST ? t->width : WIDTH_MOST);
    terminal_print(t, STYLE_PLAIN, "%s\n", buf_str(&lines));
    buf_free(&lines);
}

/* Prints what is known of the step beside its idea. */
static void
print_facts(const struct terminal *t, const cJSON *hint)
{
    const cJSON *measured = cJSON_GetObjectItemCaseSensitive(hint, "measured");
    const char *needs = answer_string(hint, "needs");

    if (needs[0] != '\0')
        terminal_print(t, STYLE_WARN, "  it needs %s\n", needs);
    if (measured != NULL)
        terminal_print(t, STYLE_PLAIN, "  measured on %s at %s: %s\n",
                       answer_string(measured, "board"), answer_string(measured, "sizes"),
                       answer_string(measured, "text"));
    terminal_print(t, STYLE_PLAIN, "\n");
}

/* Prints how far one's best time is, where the house has been judged. */
static void
print_beaten(const struct terminal *t, const cJSON *hint, bool last)
{
    const cJSON *house = cJSON_GetObjectItemCaseSensitive(hint, "house");

    if (answer_count(house, "steps") == 0)
        return;
    house_count_print(t, house);
    terminal_print(t, STYLE_PLAIN, "%s\n",
                   last && answer_count(house, "beaten") == answer_count(house, "steps")
                       ? ": there is no further hint"
                       : "");
}

static void
print_hint(const struct terminal *t, const cJSON *hint)
{
    const char *slug = answer_string(hint, "problem"),
               *idea = answer_string(hint, "idea");
    const long step = answer_count(hint, "step"), steps = answer_count(hint, "steps");

    terminal_print(t, STYLE_BOLD, "%s", answer_string(hint, "title"));
    terminal_print(t, STYLE_PLAIN, ", step %ld of %ld: %s\n\n", step, steps,
                   answer_string(hint, "name"));
    print_wrapped(t, idea[0] != '\0' ? idea : "The step's file states no idea.");
    print_facts(t, hint);
    terminal_print(t, STYLE_DIM, "`warpjudge hint %s %ld --code` shows the step's file\n",
                   slug, step);
    print_beaten(t, hint, step == steps);
    if (step < steps)
        terminal_print(t, STYLE_DIM, "`warpjudge hint %s %ld` tells the next step\n",
                       slug, step + 1);
    else
        terminal_print(t, STYLE_DIM, "it is the ladder's last step\n");
}

/* The path to ask. The caller frees. */
static char *
hint_path(const struct cli *cli)
{
    const bool code = cli->args.flag[FLAG_CODE] != NULL;
    char *slug = client_escape(cli->args.positional[1]);
    char *step = client_escape(cli->args.count > 2 ? cli->args.positional[2] : "");
    const char *device = cli->args.flag[FLAG_DEVICE];
    const char *said = cli_said_user(cli);
    char *user = client_escape(said != NULL ? said : "");
    char *name = client_escape(device != NULL ? device : "");
    char *path = xasprintf("/api/problems/%s/hint%s?step=%s&device=%s&user=%s", slug,
                           code ? "/source" : "", step, name, user);

    free(name);
    free(user);
    free(step);
    free(slug);
    return path;
}

static int
hint_verb(struct cli *cli)
{
    char *path = hint_path(cli);
    int status = cli_connect(cli);
    cJSON *answer = NULL;

    if (status == 0)
        status = client_exit_status(client_get(cli->client, path, &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0 && cli->args.flag[FLAG_CODE] != NULL)
        terminal_print(&cli->out, STYLE_PLAIN, "%s", answer_string(answer, "source"));
    else if (status == 0)
        print_hint(&cli->out, answer);
    cJSON_Delete(answer);
    free(path);
    return status;
}

static const struct verb_flag flags[] = {
    {FLAG_CODE, "print the step's file instead"},
    {FLAG_DEVICE, "the board on which the next step is looked for"},
    {FLAG_USER, "whose time decides, instead of yours"},
    {FLAG_JSON, "the hint, or the file, as one JSON object"},
    {0, NULL},
};

const struct verb verb_hint = {
    .name = "hint",
    .arguments = "SLUG [STEP]",
    .summary = "tell an idea that makes a solution faster",
    .about =
        "Tells the idea of a step of the problem's ladder in two sentences: what "
        "holds the\n"
        "step before it back, and what to do about it. A ladder has three to nine "
        "steps,\n"
        "from a naive solution to the fastest. Without STEP it is the first one that is\n"
        "surely faster than your entry on the board, or the last. Where the house was "
        "not\n"
        "judged there (`warpjudge house`), or you have no entry, it is the second one, "
        "the\n"
        "first idea after the naive solution.",
    .example = "  warpjudge hint vector-addition\n"
               "  warpjudge hint vector-addition 3\n"
               "  warpjudge hint vector-addition 3 --code\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 2,
    .missing = "name the problem, as in `warpjudge hint vector-addition`",
    .run = hint_verb,
};

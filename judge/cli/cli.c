/* What the verbs share: the configuration, the user's name, JSON on standard output. */
#include "cli/cli.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"

#include <cjson/cJSON.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct verb *const cli_verbs[] = {
    &verb_submit, &verb_run,     &verb_watch,   &verb_profile,  &verb_asm,
    &verb_rank,   &verb_user,    &verb_feed,    &verb_problems, &verb_next,
    &verb_show,   &verb_hint,    &verb_explain, &verb_init,     &verb_history,
    &verb_status, &verb_source,  &verb_compare, &verb_cancel,   &verb_serve,
    &verb_rerun,  &verb_problem, &verb_emu,     &verb_login,    &verb_logout,
    &verb_whoami, &verb_token,   &verb_session, &verb_account,  &verb_group,
    &verb_admin,  &verb_house,   &verb_worker,  &verb_grade,    &verb_report,
    &verb_verify, &verb_key,     &verb_doctor,  &verb_generate, &verb_open,
    NULL,
};

const struct verb *
cli_verb(const char *name)
{
    for (const struct verb *const *v = cli_verbs; *v != NULL; v++)
        if (strcmp((*v)->name, name) == 0)
            return *v;
    return NULL;
}

int
cli_configure(struct cli *cli)
{
    if (config_load(&cli->config, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    return 0;
}

int
cli_connect(struct cli *cli)
{
    int status = cli_configure(cli);

    if (status != 0)
        return status;
    cli->client = client_open(&cli->config, &cli->report);
    return cli->client != NULL ? 0 : EXIT_BAD_INPUT;
}

const char *
cli_said_user(const struct cli *cli)
{
    const char *user = cli->args.flag[FLAG_USER];

    if (user == NULL)
        user = getenv("WARPJUDGE_USER");
    return user != NULL && user[0] != '\0' ? user : NULL;
}

/* The name of the account whose token is sent, or NULL. A judge that does not say it says
 * why when the verb asks it for more. */
static const char *
cli_account(struct cli *cli)
{
    struct report ignored = {0};
    cJSON *answer = NULL;

    if (cli->account == NULL && cli->client != NULL && client_has_token(cli->client) &&
        client_get(cli->client, "/api/account", &answer, &ignored) == CLIENT_OK &&
        answer_string(answer, "name")[0] != '\0')
        cli->account = xstrdup(answer_string(answer, "name"));
    cJSON_Delete(answer);
    return cli->account;
}

const char *
cli_user(struct cli *cli)
{
    static char number[32];
    const char *user = cli_said_user(cli);
    const struct passwd *entry;

    if (user == NULL)
        user = cli_account(cli);
    if (user != NULL)
        return user;
    entry = getpwuid(getuid());
    if (entry != NULL && entry->pw_name[0] != '\0')
        return entry->pw_name;
    /* In a container the user may be a number that has no name. */
    snprintf(number, sizeof number, "uid%lu", (unsigned long)getuid());
    return number;
}

void
cli_print_json(struct cli *cli, const cJSON *object)
{
    char *text = cJSON_PrintUnformatted(object);

    if (text == NULL)
        die(EXIT_JUDGE_FAILED, "out of memory");
    fprintf(cli->out.file, "%s\n", text);
    free(text);
}

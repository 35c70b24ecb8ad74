/* `login`, `logout` and `whoami`: the judge of another machine, or an account on this
 * one. */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/logins.h"
#include "cli/quota.h"
#include "record/accounts.h"

#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define SECRET_LINE_MAX 256

/* --- login -------------------------------------------------------------- */

/* Reads a line from standard input; on a terminal it asks, and shows nothing of what is
 * typed. */
static int
read_secret(struct cli *cli, char line[SECRET_LINE_MAX])
{
    struct termios before, silent;
    const bool asks = tcgetattr(0, &before) == 0;
    bool got;

    if (asks) {
        silent = before;
        silent.c_lflag &= ~(tcflag_t)ECHO;
        /* What is typed at once is neither shown nor lost. */
        tcsetattr(0, TCSAFLUSH, &silent);
        terminal_print(&cli->err, STYLE_PLAIN, "token or invitation: ");
        fflush(stderr);
    }
    got = fgets(line, SECRET_LINE_MAX, stdin) != NULL;
    if (asks) {
        tcsetattr(0, TCSAFLUSH, &before);
        terminal_print(&cli->err, STYLE_PLAIN, "\n");
    }
    line[got ? strcspn(line, "\r\n") : 0] = '\0';
    if (secret_is_valid(TOKEN_PREFIX, line) || secret_is_valid(INVITATION_PREFIX, line))
        return 0;
    return report_fail(&cli->report,
                       "that is neither a token (%s...) nor an invitation (%s...): an "
                       "admin makes one by `warpjudge admin invite`",
                       TOKEN_PREFIX, INVITATION_PREFIX);
}

/* Makes an account by an invitation, or by none, and takes over its token. */
static int
login_join(struct cli *cli, const char *invitation, struct login *out)
{
    cJSON *body = cJSON_CreateObject(), *answer = NULL;
    char host[65] = "";
    enum client_result result;

    gethostname(host, sizeof host - 1);
    cJSON_AddStringToObject(body, "name", cli_user(cli));
    cJSON_AddStringToObject(body, "label", host);
    if (invitation != NULL)
        cJSON_AddStringToObject(body, "invitation", invitation);
    result = client_post(cli->client, "/api/accounts", body, &answer, &cli->report);
    cJSON_Delete(body);
    if (result == CLIENT_OK) {
        out->name = xstrdup(answer_string(answer, "name"));
        out->token = xstrdup(answer_string(answer, "token"));
    }
    cJSON_Delete(answer);
    return client_exit_status(result);
}

/* Asks the judge whose token it is. */
static int
login_by_token(struct cli *cli, const char *token, struct login *out)
{
    cJSON *answer = NULL;
    enum client_result result;

    client_close(cli->client);
    cli->client = client_open_at(&cli->config, out->url, token, &cli->report);
    if (cli->client == NULL)
        return EXIT_BAD_INPUT;
    result = client_get(cli->client, "/api/account", &answer, &cli->report);
    if (result == CLIENT_OK) {
        out->name = xstrdup(answer_string(answer, "name"));
        out->token = xstrdup(token);
    }
    cJSON_Delete(answer);
    return client_exit_status(result);
}

static int
login_sign_in(struct cli *cli, const char *invitation, struct login *out)
{
    char line[SECRET_LINE_MAX] = "";
    int status = EXIT_BAD_INPUT;

    cli->client = client_open_at(&cli->config, out->url, NULL, &cli->report);
    if (cli->client == NULL)
        return EXIT_BAD_INPUT;
    if (invitation != NULL || cli->args.flag[FLAG_JOIN] != NULL)
        return login_join(cli, invitation, out);
    if (read_secret(cli, line) == 0)
        status = secret_is_valid(TOKEN_PREFIX, line) ? login_by_token(cli, line, out)
                                                     : login_join(cli, line, out);
    explicit_bzero(line, sizeof line);
    return status;
}

static int
login_verb(struct cli *cli)
{
    struct login login = {0};
    char *invitation = NULL;
    int status = cli_configure(cli);

    if (status != 0)
        return status;
    login.url = login_url(cli->args.positional[1], &invitation, &cli->report);
    status = EXIT_BAD_INPUT;
    if (login.url != NULL && login_check_secrecy(login.url, &cli->report) == 0) {
        status = login_sign_in(cli, invitation, &login);
        if (status == 0 && login_store(&login, &cli->report) != 0)
            status = EXIT_BAD_INPUT;
    }
    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN,
                       "you are %s at %s; commands go there from now on, until "
                       "`warpjudge logout`\n",
                       login.name, login.url);
    login_free(&login);
    free(invitation);
    return status;
}

/* --- logout ------------------------------------------------------------- */

/* The token is forgotten here also where the judge cannot be told. */
static int
logout_from(struct cli *cli, const struct login *login)
{
    cJSON *answer = NULL;
    enum client_result result;

    if (login_forget(login->url, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    cli->client = client_open_at(&cli->config, login->url, login->token, &cli->report);
    if (cli->client == NULL)
        return EXIT_BAD_INPUT;
    result = client_delete(cli->client, "/api/account/token", &answer, &cli->report);
    cJSON_Delete(answer);
    if (result == CLIENT_OK)
        terminal_print(&cli->out, STYLE_PLAIN, "%s is signed out of %s\n", login->name,
                       login->url);
    else
        report_prefix(&cli->report, "the token is forgotten here, but not revoked");
    return client_exit_status(result);
}

static int
logout_verb(struct cli *cli)
{
    const bool named = cli->args.count > 1;
    struct login login = {0};
    char *url = NULL;
    bool found = false;
    int status = cli_configure(cli);

    if (status != 0)
        return status;
    status = EXIT_BAD_INPUT;
    if (named)
        url = login_url(cli->args.positional[1], NULL, &cli->report);
    if ((named && url == NULL) || login_load(url, &found, &login, &cli->report) != 0)
        status = EXIT_BAD_INPUT;
    else if (!found)
        report_fail(&cli->report, "you are not signed in%s%s", named ? " at " : "",
                    named ? url : "");
    else
        status = logout_from(cli, &login);
    login_free(&login);
    free(url);
    return status;
}

/* --- whoami ------------------------------------------------------------- */

static void
whoami_print(struct cli *cli, const cJSON *who)
{
    const struct terminal *t = &cli->out;
    const char *name = answer_string(who, "name");
    const double expires_ms = answer_number(who, "expires_ms");
    const cJSON *scope;
    struct text32 date;

    terminal_print(t, STYLE_BOLD, "%s", name[0] != '\0' ? name : "nobody");
    if (answer_string(who, "display_name")[0] != '\0')
        terminal_print(t, STYLE_PLAIN, " \"%s\"", answer_string(who, "display_name"));
    terminal_print(t, STYLE_PLAIN, " at %s: %s", client_address(cli->client),
                   answer_string(who, "role"));
    if (answer_true(who, "token")) {
        terminal_print(t, STYLE_PLAIN, ", by a token for");
        cJSON_ArrayForEach(scope, answer_array(who, "scopes")) terminal_print(
            t, STYLE_PLAIN, " %s", cJSON_IsString(scope) ? scope->valuestring : "");
    } else if (name[0] != '\0') {
        terminal_print(t, STYLE_PLAIN, ", by your login");
    }
    if (expires_ms > 0)
        terminal_print(t, STYLE_PLAIN, ", until %s", format_date(&date, expires_ms));
    terminal_print(t, STYLE_PLAIN, "\n");
    quota_print(t, who);
}

static int
whoami_verb(struct cli *cli)
{
    cJSON *answer = NULL;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status = client_exit_status(
        client_get(cli->client, "/api/account", &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        whoami_print(cli, answer);
    cJSON_Delete(answer);
    return status;
}

/* --- the verbs ---------------------------------------------------------- */

static const struct verb_flag login_flags[] = {
    {FLAG_USER, "the name of a new account, instead of the login name"},
    {FLAG_JOIN, "make an account without an invitation, where the judge lets you"},
    {0, NULL},
};

static const struct verb_flag no_flags[] = {{0, NULL}};

static const struct verb_flag whoami_flags[] = {
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_login = {
    .name = "login",
    .arguments = "URL",
    .summary = "sign in to a judge, which commands then use",
    .about = "Signs in to the judge at URL, by a token or an invitation, for which it "
             "asks on\n"
             "the terminal or which it reads from standard input. An invitation may also "
             "be\n"
             "a link, URL#wji_..., and makes an account. The token is kept in\n"
             "$XDG_CONFIG_HOME/warpjudge/logins.json or ~/.config/warpjudge/logins.json, "
             "which\n"
             "you alone may read. It is sent by HTTPS only, or to this machine.\n"
             "\n"
             "Commands go to this judge until `logout`, unless WARPJUDGE_URL or\n"
             "WARPJUDGE_HOME name another.",
    .example = "  warpjudge login https://judge.example\n"
               "  warpjudge login --user ada 'https://judge.example/#wji_...'\n",
    .flags = login_flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 1,
    .missing = "name the judge, as in `warpjudge login https://judge.example`",
    .run = login_verb,
};

const struct verb verb_logout = {
    .name = "logout",
    .arguments = "[URL]",
    .summary = "sign out: the token is revoked and forgotten",
    .about =
        "Revokes the token of `login` at the judge, and forgets it here. Without URL "
        "it is\n"
        "the judge that commands use.",
    .example = "  warpjudge logout\n",
    .flags = no_flags,
    .kind = VERB_ASKS,
    .most = 1,
    .run = logout_verb,
};

const struct verb verb_whoami = {
    .name = "whoami",
    .arguments = "",
    .summary = "say who you are to the judge",
    .about = "Says under which name the judge knows you, your role, and what your token "
             "is for.",
    .example = "  warpjudge whoami\n",
    .flags = whoami_flags,
    .kind = VERB_ASKS,
    .run = whoami_verb,
};

/* `login`, `logout` and `whoami`: the judge of another machine, or an account on this
 * one. */
#include "base/buf.h"
#include "cli/announcements.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/logins.h"
#include "cli/quota.h"
#include "cli/secret_line.h"
#include "record/secret_form.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- login -------------------------------------------------------------- */

/* Asks for a token of this machine, and takes it over. Deletes the body. */
static int
login_get_token(struct cli *cli, const char *path, cJSON *body, struct login *out)
{
    cJSON *answer = NULL;
    char host[65] = "";
    enum client_result result;

    gethostname(host, sizeof host - 1);
    cJSON_AddStringToObject(body, "label", host);
    result = client_post(cli->client, path, body, &answer, &cli->report);
    cJSON_Delete(body);
    if (result == CLIENT_OK) {
        out->name = xstrdup(answer_string(answer, "name"));
        out->token = xstrdup(answer_string(answer, "token"));
    }
    cJSON_Delete(answer);
    return client_exit_status(result);
}

/* Makes an account by an invitation, or by none. */
static int
login_join(struct cli *cli, const char *invitation, struct login *out)
{
    cJSON *body = cJSON_CreateObject();

    cJSON_AddStringToObject(body, "name", cli_user(cli));
    if (invitation != NULL)
        cJSON_AddStringToObject(body, "invitation", invitation);
    return login_get_token(cli, "/api/accounts", body, out);
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

/* --- by a password -------------------------------------------------------- */

/* Gets a token of this machine for a name and a password, which is not kept. */
static int
login_by_password(struct cli *cli, const char *name, const char *password,
                  struct login *out)
{
    cJSON *body = cJSON_CreateObject();

    cJSON_AddStringToObject(body, "name", name);
    cJSON_AddStringToObject(body, "password", password);
    return login_get_token(cli, "/api/tokens", body, out);
}

/* Asks for the password that a reset code sets, and signs in by it. */
static int
login_by_reset(struct cli *cli, const char *code, struct login *out)
{
    char password[SECRET_LINE_MAX] = "";
    cJSON *body, *answer = NULL;
    int status = EXIT_BAD_INPUT;

    if (new_password_read(cli, password) == 0) {
        body = cJSON_CreateObject();
        cJSON_AddStringToObject(body, "code", code);
        cJSON_AddStringToObject(body, "password", password);
        status = client_exit_status(
            client_post(cli->client, "/api/password", body, &answer, &cli->report));
        cJSON_Delete(body);
    }
    if (status == 0)
        status = login_by_password(cli, answer_string(answer, "name"), password, out);
    cJSON_Delete(answer);
    secret_erase(password, sizeof password);
    return status;
}

/* --- what is typed --------------------------------------------------------- */

/* Does the text begin as a secret of the judge's does? Then it is no password. */
static bool
login_looks_drawn(const char *line)
{
    return strncmp(line, TOKEN_PREFIX, 4) == 0 ||
           strncmp(line, INVITATION_PREFIX, 4) == 0 ||
           strncmp(line, GROUP_CODE_PREFIX, 4) == 0 ||
           strncmp(line, RESET_PREFIX, 4) == 0;
}

/* Signs in by whatever this is. `name` is for a password. */
static int
login_by_secret(struct cli *cli, const char *name, const char *secret, struct login *out)
{
    if (secret_is_valid(TOKEN_PREFIX, secret))
        return login_by_token(cli, secret, out);
    if (secret_is_valid(INVITATION_PREFIX, secret) ||
        secret_is_valid(GROUP_CODE_PREFIX, secret))
        return login_join(cli, secret, out);
    if (secret_is_valid(RESET_PREFIX, secret))
        return login_by_reset(cli, secret, out);
    if (secret[0] != '\0' && name != NULL && !login_looks_drawn(secret))
        return login_by_password(cli, name, secret, out);
    report_fail(&cli->report,
                "that is neither a token (%s...) nor an invitation (%s...) nor a reset "
                "code (%s...): an admin makes one by `warpjudge admin invite` or "
                "`warpjudge admin reset`",
                TOKEN_PREFIX, INVITATION_PREFIX, RESET_PREFIX);
    return EXIT_BAD_INPUT;
}

/* Asks for a name and a password, or for another secret. Without a terminal the name is
 * that of --user, or the login name. */
static int
login_ask(struct cli *cli, struct login *out)
{
    char name[SECRET_LINE_MAX] = "", secret[SECRET_LINE_MAX] = "";
    const char *said = cli_said_user(cli);
    const char *question = "password, token, invitation or reset code: ";
    int status = EXIT_BAD_INPUT;

    if (said == NULL && !secret_is_asked()) {
        said = cli_user(cli);
    } else if (said == NULL) {
        if (line_read(cli, "name (nothing, if you have a token or a code): ", name) != 0)
            return status;
        said = name[0] != '\0' ? name : NULL;
        question = said != NULL ? "password: " : "token, invitation or reset code: ";
    }
    if (secret_read(cli, question, secret) == 0)
        status = login_by_secret(cli, said, secret, out);
    secret_erase(secret, sizeof secret);
    return status;
}

static int
login_sign_in(struct cli *cli, const char *code, struct login *out)
{
    cli->client = client_open_at(&cli->config, out->url, NULL, &cli->report);
    if (cli->client == NULL)
        return EXIT_BAD_INPUT;
    if (code != NULL && secret_is_valid(RESET_PREFIX, code))
        return login_by_reset(cli, code, out);
    if (code != NULL || cli->args.flag[FLAG_JOIN] != NULL)
        return login_join(cli, code, out);
    return login_ask(cli, out);
}

static int
login_verb(struct cli *cli)
{
    struct login login = {0};
    char *code = NULL; /* an invitation, or a reset code */
    int status = cli_configure(cli);

    if (status != 0)
        return status;
    login.url = login_url(cli->args.positional[1], &code, &cli->report);
    status = EXIT_BAD_INPUT;
    if (login.url != NULL && login_check_secrecy(login.url, &cli->report) == 0) {
        status = login_sign_in(cli, code, &login);
        if (status == 0 && login_store(&login, &cli->report) != 0)
            status = EXIT_BAD_INPUT;
    }
    if (status == 0) {
        terminal_print(&cli->out, STYLE_PLAIN,
                       "you are %s at %s; commands go there from now on, until "
                       "`warpjudge logout`\n",
                       login.name, login.url);
        announcements_print(cli, &cli->out, ANNOUNCEMENTS_ALL);
    }
    login_free(&login);
    free(code);
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
    announcements_print(cli, t, ANNOUNCEMENTS_ALL);
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
    {FLAG_USER, "the name of the account, instead of the login name"},
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
    .about = "Signs in to the judge at URL by a name and a password, a token, an "
             "invitation or a\n"
             "reset code. It asks on the terminal, or reads a line from standard input. "
             "An\n"
             "invitation or a reset code may also be in a link, URL#wji_...: the first "
             "makes an\n"
             "account, the second sets a password. For a password one gets a token of "
             "this\n"
             "machine, and the password is not kept. The token is kept in\n"
             "$XDG_CONFIG_HOME/warpjudge/logins.json or ~/.config/warpjudge/logins.json, "
             "which\n"
             "you alone may read. Secrets are sent by HTTPS only, or to this machine.\n"
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

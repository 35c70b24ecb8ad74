/* `account`: the name that is shown of oneself, what the judge has stored, and its end.
 */
#include "base/buf.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/logins.h"
#include "cli/secret_line.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_LINE_MAX 256

/* --- name ---------------------------------------------------------------- */

static int
account_name(struct cli *cli, const char *name)
{
    cJSON *body, *answer = NULL;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    body = cJSON_CreateObject();
    cJSON_AddStringToObject(body, "display_name", name);
    status = client_exit_status(
        client_post(cli->client, "/api/account", body, &answer, &cli->report));
    if (status == 0 && name[0] != '\0')
        terminal_print(&cli->out, STYLE_PLAIN, "%s is shown as \"%s\"\n",
                       answer_string(answer, "name"),
                       answer_string(answer, "display_name"));
    else if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "%s is shown under no other name\n",
                       answer_string(answer, "name"));
    cJSON_Delete(body);
    cJSON_Delete(answer);
    return status;
}

/* --- export -------------------------------------------------------------- */

struct export_file {
    const char *path;
    FILE *file;
};

static int
export_write(void *ctx, const char *bytes, size_t len, struct report *r)
{
    const struct export_file *e = ctx;

    return fwrite(bytes, 1, len, e->file) == len
               ? 0
               : report_errno(r, "%s cannot be written", e->path);
}

/* An export is whole or not there: sources are in it, so that nobody else may read it. */
static int
account_export(struct cli *cli, const char *path)
{
    struct export_file e = {.path = path};
    enum client_result result;
    int fd, status = cli_connect(cli);

    if (status != 0)
        return status;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        report_errno(&cli->report, "%s cannot be made", path);
        return EXIT_BAD_INPUT;
    }
    e.file = fdopen(fd, "w");
    if (e.file == NULL)
        die(EXIT_JUDGE_FAILED, "out of memory");
    result =
        client_stream(cli->client, "/api/account/export", export_write, &e, &cli->report);
    status = client_exit_status(result);
    if (fclose(e.file) != 0 && status == 0) {
        report_errno(&cli->report, "%s cannot be written", path);
        status = EXIT_BAD_INPUT;
    }
    if (status != 0)
        unlink(path);
    else
        terminal_print(&cli->out, STYLE_PLAIN,
                       "%s has all that the judge has stored of you\n", path);
    return status;
}

/* --- delete -------------------------------------------------------------- */

/* Must the name be typed, and is it typed? */
static bool
account_confirm(struct cli *cli, const char *name)
{
    char line[NAME_LINE_MAX] = "";

    terminal_print(&cli->err, STYLE_PLAIN,
                   "This removes the account %s at %s for good: its name, tokens and "
                   "sources.\nIts results stay on the boards without the name. Type the "
                   "name to go on: ",
                   name, client_address(cli->client));
    fflush(stderr);
    if (fgets(line, sizeof line, stdin) == NULL)
        line[0] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    if (strcmp(line, name) == 0)
        return true;
    report_fail(&cli->report, "nothing is deleted: that is not the name");
    return false;
}

static int
account_delete_named(struct cli *cli, const char *name)
{
    char *escaped = client_escape(name);
    char *path = xasprintf("/api/account?name=%s", escaped);
    cJSON *answer = NULL;
    int status =
        client_exit_status(client_delete(cli->client, path, &answer, &cli->report));

    if (status == 0) {
        terminal_print(&cli->out, STYLE_PLAIN, "the account is deleted, and is %s now\n",
                       answer_string(answer, "name"));
        /* Its token is of no use any more. */
        if (client_url(cli->client) != NULL &&
            login_forget(client_url(cli->client), &cli->report) != 0)
            status = EXIT_BAD_INPUT;
    }
    cJSON_Delete(answer);
    free(path);
    free(escaped);
    return status;
}

static int
account_delete(struct cli *cli)
{
    cJSON *who = NULL;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status =
        client_exit_status(client_get(cli->client, "/api/account", &who, &cli->report));
    if (status == 0 && !answer_true(who, "account")) {
        report_fail(&cli->report, "you have no account at %s",
                    client_address(cli->client));
        status = EXIT_BAD_INPUT;
    }
    if (status == 0)
        status = account_confirm(cli, answer_string(who, "name"))
                     ? account_delete_named(cli, answer_string(who, "name"))
                     : EXIT_BAD_INPUT;
    cJSON_Delete(who);
    return status;
}

/* --- password ------------------------------------------------------------- */

static int
account_set_password(struct cli *cli)
{
    char password[SECRET_LINE_MAX] = "";
    cJSON *body, *answer = NULL;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status = EXIT_BAD_INPUT;
    if (new_password_read(cli, password) == 0) {
        body = cJSON_CreateObject();
        cJSON_AddStringToObject(body, "password", password);
        status = client_exit_status(client_post(cli->client, "/api/account/password",
                                                body, &answer, &cli->report));
        cJSON_Delete(body);
    }
    secret_erase(password, sizeof password);
    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN,
                       "the password is set, and all sessions have ended\n");
    cJSON_Delete(answer);
    return status;
}

static int
account_remove_password(struct cli *cli)
{
    cJSON *answer = NULL;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status = client_exit_status(
        client_delete(cli->client, "/api/account/password", &answer, &cli->report));
    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN,
                       "the password is removed, and all sessions have ended\n");
    cJSON_Delete(answer);
    return status;
}

/* --- the verb ------------------------------------------------------------ */

static int
account_verb(struct cli *cli)
{
    const struct args *args = &cli->args;
    const char *word = args->positional[1];

    if (strcmp(word, "name") == 0 && args->count == 3)
        return account_name(cli, args->positional[2]);
    if (strcmp(word, "export") == 0 && args->count == 3)
        return account_export(cli, args->positional[2]);
    if (strcmp(word, "delete") == 0 && args->count == 2)
        return account_delete(cli);
    if (strcmp(word, "password") == 0 && args->count == 2)
        return account_set_password(cli);
    if (strcmp(word, "password") == 0 && args->count == 3 &&
        strcmp(args->positional[2], "remove") == 0)
        return account_remove_password(cli);
    report_fail(&cli->report, "`warpjudge account` knows name TEXT, password [remove], "
                              "export FILE and delete");
    return EXIT_BAD_INPUT;
}

static const struct verb_flag flags[] = {{0, NULL}};

const struct verb verb_account = {
    .name = "account",
    .arguments = "name TEXT | password [remove] | export FILE | delete",
    .summary = "name, export or delete your account, set its password",
    .about =
        "name TEXT: shows this name beside your account's on boards. It is for people\n"
        "to read; an empty text removes it.\n"
        "\n"
        "password: asks for a password, and sets it. With it you sign in where you have "
        "no\n"
        "token. All your sessions end; tokens stay. password remove: you have none "
        "then.\n"
        "\n"
        "export FILE: writes all that the judge has stored of you, as JSON: the "
        "account,\n"
        "its tokens without their secrets, and each submission with its source and\n"
        "result. Nobody else may read the file.\n"
        "\n"
        "delete: asks for the account's name, and deletes it for good. Its tokens "
        "do not\n"
        "work any more, what waits is cancelled, and your sources and messages are\n"
        "removed. Results stay on the boards under a name such as deleted-7.",
    .example = "  warpjudge account name 'Ada Lovelace'\n"
               "  warpjudge account export me.json\n"
               "  warpjudge account delete\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 2,
    .missing = "say what to do, as in `warpjudge account export me.json`",
    .run = account_verb,
};

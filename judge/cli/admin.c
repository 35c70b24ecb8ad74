/* `admin`: accounts, invitations and rejudgements, for who manages the judge. */
#include "base/buf.h"
#include "cli/admin_announce.h"
#include "cli/admin_calibration.h"
#include "cli/admin_export.h"
#include "cli/admin_queue.h"
#include "cli/admin_quota.h"
#include "cli/admin_rejudge.h"
#include "cli/answer.h"
#include "cli/backup.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/csv.h"
#include "cli/equal.h"
#include "cli/format.h"
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

#define DAYS_MOST 3650
#define REJUDGE_IDS_MOST 500 /* the daemon takes no more in one request */

static int
admin_invite(struct cli *cli)
{
    const struct args *args = &cli->args;
    cJSON *body, *answer = NULL;
    const char *url;
    long days = 0;
    int status = EXIT_BAD_INPUT;

    if (args->flag[FLAG_DAYS] != NULL &&
        args_number(args, FLAG_DAYS, DAYS_MOST, &days, &cli->report) != 0)
        return status;
    status = cli_connect(cli);
    if (status != 0)
        return status;
    body = cJSON_CreateObject();
    if (args->count > 2)
        cJSON_AddStringToObject(body, "name", args->positional[2]);
    if (args->flag[FLAG_ROLE] != NULL)
        cJSON_AddStringToObject(body, "role", args->flag[FLAG_ROLE]);
    if (days > 0)
        cJSON_AddNumberToObject(body, "days", (double)days);
    status = client_exit_status(
        client_post(cli->client, "/api/invitations", body, &answer, &cli->report));
    cJSON_Delete(body);
    url = client_url(cli->client);
    if (status == 0 && args->flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        /* Over the socket the judge's address is not known here. */
        terminal_print(&cli->out, STYLE_PLAIN, "warpjudge login '%s/#%s'\n",
                       url != NULL ? url : "https://ADDRESS-OF-THIS-JUDGE",
                       answer_string(answer, "invitation"));
    cJSON_Delete(answer);
    return status;
}

static int
admin_users(struct cli *cli)
{
    static const struct column columns[] = {{"name", false},  {"role", false},
                                            {"state", false}, {"submissions", true},
                                            {"since", false}, {"last seen", false}};
    static const char *const KEYS[] = {"name",       "role",    "state", "submissions",
                                       "created_ms", "seen_ms", NULL};
    struct table *table;
    cJSON *answer = NULL;
    const cJSON *a;
    struct text32 date;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status = client_exit_status(
        client_get(cli->client, "/api/accounts", &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL) {
        cli_print_json(cli, answer);
    } else if (status == 0 && cli->args.flag[FLAG_CSV] != NULL) {
        csv_print(cli->out.file, KEYS, answer_array(answer, "accounts"));
    } else if (status == 0) {
        table = table_new(columns, sizeof columns / sizeof *columns);
        cJSON_ArrayForEach(a, answer_array(answer, "accounts"))
        {
            const bool active = strcmp(answer_string(a, "state"), "active") == 0;

            table_row(table, active ? STYLE_PLAIN : STYLE_DIM);
            table_cell(table, "%s", answer_string(a, "name"));
            table_cell(table, "%s", answer_string(a, "role"));
            table_cell(table, "%s", answer_string(a, "state"));
            table_cell(table, "%ld", answer_count(a, "submissions"));
            table_cell(table, "%s", format_date(&date, answer_number(a, "created_ms")));
            table_cell(table, "%s",
                       answer_number(a, "seen_ms") > 0
                           ? format_date(&date, answer_number(a, "seen_ms"))
                           : "");
        }
        table_print(table, &cli->out);
        table_free(table);
    }
    cJSON_Delete(answer);
    return status;
}

/* POSTs {key: value} about the account of this name, and prints what it is then. */
static int
admin_post(struct cli *cli, const char *name, const char *action, const char *key,
           const char *value)
{
    cJSON *body, *answer = NULL;
    char *escaped, *path;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    escaped = client_escape(name);
    path = xasprintf("/api/accounts/%s%s", escaped, action);
    body = cJSON_CreateObject();
    cJSON_AddStringToObject(body, key, value);
    status =
        client_exit_status(client_post(cli->client, path, body, &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "%s is %s, %s\n",
                       answer_string(answer, "name"), answer_string(answer, "role"),
                       answer_string(answer, "state"));
    cJSON_Delete(body);
    cJSON_Delete(answer);
    free(path);
    free(escaped);
    return status;
}

static int
admin_delete(struct cli *cli, const char *name)
{
    cJSON *answer = NULL;
    char *escaped, *path;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    escaped = client_escape(name);
    path = xasprintf("/api/accounts/%s?name=%s", escaped, escaped);
    status = client_exit_status(client_delete(cli->client, path, &answer, &cli->report));
    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "%s is deleted, and is %s now\n", name,
                       answer_string(answer, "name"));
    cJSON_Delete(answer);
    free(path);
    free(escaped);
    return status;
}

/* Prints a link by which a person sets a password. */
static int
admin_reset(struct cli *cli, const char *name)
{
    cJSON *body, *answer = NULL;
    const char *url;
    char *escaped, *path;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    escaped = client_escape(name);
    path = xasprintf("/api/accounts/%s/reset", escaped);
    body = cJSON_CreateObject();
    status =
        client_exit_status(client_post(cli->client, path, body, &answer, &cli->report));
    url = client_url(cli->client);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        /* Over the socket the judge's address is not known here. */
        terminal_print(&cli->out, STYLE_PLAIN, "warpjudge login '%s/#%s'\n",
                       url != NULL ? url : "https://ADDRESS-OF-THIS-JUDGE",
                       answer_string(answer, "code"));
    cJSON_Delete(body);
    cJSON_Delete(answer);
    free(path);
    free(escaped);
    return status;
}

/* Begins the boards of problems on a device anew, one after the other. */
static int
admin_begin_board(struct cli *cli, const char *const *slugs, int count)
{
    const char *device = cli->args.flag[FLAG_DEVICE];
    int status = EXIT_BAD_INPUT;

    if (device == NULL) {
        report_fail(&cli->report,
                    "say on which device, as in `warpjudge admin begin-board "
                    "SLUG -d cuda:0`");
        return status;
    }
    status = cli_connect(cli);
    for (int i = 0; status == 0 && i < count; i++) {
        char *escaped = client_escape(slugs[i]);
        char *path = xasprintf("/api/problems/%s/board", escaped);
        cJSON *body = cJSON_CreateObject(), *answer = NULL;

        cJSON_AddStringToObject(body, "device", device);
        status = client_exit_status(
            client_post(cli->client, path, body, &answer, &cli->report));
        if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
            cli_print_json(cli, answer);
        else if (status == 0)
            terminal_print(&cli->out, STYLE_PLAIN, "%s on %s begins anew\n",
                           answer_string(answer, "problem"),
                           answer_string(answer, "board"));
        cJSON_Delete(body);
        cJSON_Delete(answer);
        free(path);
        free(escaped);
    }
    return status;
}

/* Does what is about one account. False where it is none of that. */
static bool
admin_account(struct cli *cli, const char *const *words, int count, int *status)
{
    const char *word = words[0];

    if (strcmp(word, "role") == 0 && count == 3)
        *status = admin_post(cli, words[1], "", "role", words[2]);
    else if (strcmp(word, "assign") == 0 && count == 3)
        *status = admin_post(cli, words[2], "/assign", "from", words[1]);
    else if ((strcmp(word, "close") == 0 || strcmp(word, "ban") == 0) && count == 2)
        *status = admin_post(cli, words[1], "", "state", "closed");
    else if ((strcmp(word, "open") == 0 || strcmp(word, "unban") == 0) && count == 2)
        *status = admin_post(cli, words[1], "", "state", "active");
    else if (strcmp(word, "delete") == 0 && count == 2)
        *status = admin_delete(cli, words[1]);
    else if (strcmp(word, "reset") == 0 && count == 2)
        *status = admin_reset(cli, words[1]);
    else if (strcmp(word, "quota") == 0 && count >= 2)
        *status = admin_quota(cli, words[1], words + 2, count - 2);
    else
        return false;
    return true;
}

static int
admin_verb(struct cli *cli)
{
    const char *const *words = cli->args.positional + 1;
    const int count = cli->args.count - 1;
    int status;

    if (admin_account(cli, words, count, &status))
        return status;
    if (strcmp(words[0], "invite") == 0 && count <= 2)
        return admin_invite(cli);
    if (strcmp(words[0], "users") == 0 && count == 1)
        return admin_users(cli);
    if (strcmp(words[0], "queue") == 0 && count == 1)
        return admin_queue(cli);
    if (strcmp(words[0], "cancel") == 0 && count == 2)
        return admin_cancel(cli, words[1]);
    if (strcmp(words[0], "delete-submission") == 0 && count == 2)
        return admin_delete_submission(cli, words[1]);
    if (strcmp(words[0], "announce") == 0 && count >= 2)
        return admin_announce(cli, words + 1, count - 1);
    if (strcmp(words[0], "announcements") == 0 && count == 1)
        return admin_announcements(cli);
    if (strcmp(words[0], "unannounce") == 0 && count == 2)
        return admin_unannounce(cli, words[1]);
    if (strcmp(words[0], "begin-board") == 0 && count >= 2)
        return admin_begin_board(cli, words + 1, count - 1);
    if (strcmp(words[0], "rejudge") == 0)
        return admin_rejudge(cli, words + 1, count - 1);
    if (strcmp(words[0], "equal") == 0 && count == 1)
        return equal_list(cli);
    if (strcmp(words[0], "calibration") == 0 && count == 1)
        return admin_calibration(cli);
    if (strcmp(words[0], "export") == 0 && count == 1)
        return admin_export(cli);
    if (strcmp(words[0], "backup") == 0 && count == 2)
        return backup_write(cli, words[1]);
    if (strcmp(words[0], "restore") == 0 && count == 2)
        return backup_restore(cli, words[1]);
    report_fail(
        &cli->report,
        "`warpjudge admin` knows invite [NAME], users, role NAME ROLE, assign "
        "OLD-NAME ACCOUNT, ban NAME, unban NAME, reset NAME, quota NAME, delete NAME, "
        "queue, cancel "
        "ID, delete-submission ID, announce TEXT, announcements, unannounce ID, export, "
        "rejudge, begin-board SLUG, equal, calibration, backup FILE and restore FILE");
    return EXIT_BAD_INPUT;
}

static const struct verb_flag flags[] = {
    {FLAG_ROLE, "invite: member, staff or admin; otherwise member"},
    {FLAG_DAYS, "invite: how long the invitation is good for; otherwise 7"},
    {FLAG_PROBLEM, "rejudge, equal: submissions to this problem"},
    {FLAG_DEVICE, "rejudge: submissions on this device's board; begin-board: that board"},
    {FLAG_CHANGED, "rejudge: of these only results from before the board began anew"},
    {FLAG_PREVIEW, "rejudge: judge, say what would change, and write nothing"},
    {FLAG_LIMIT, "equal: how many works at most, from 1 to 1000; otherwise 50"},
    {FLAG_CSV, "users, equal, export: as CSV; grades are that without --json, too"},
    {FLAG_GROUP, "export: the grades of this group, for its teachers"},
    {FLAG_UNTIL, "export: only what came until then, as 2026-12-01 18:00, or the day"},
    {FLAG_ZONE, "export: the time zone of --until; otherwise this machine's"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_admin = {
    .name = "admin",
    .arguments =
        "invite [NAME] | users | role | assign | ban | unban | reset | quota | delete | "
        "queue | "
        "cancel | delete-submission | announce | announcements | unannounce | export | "
        "rejudge | begin-board | equal | calibration | backup | restore",
    .summary = "manage accounts and invitations, judge again, find equal work, back up",
    .about =
        "invite [NAME]: prints the command by which one person joins, once. With NAME it "
        "is\n"
        "for that name only. Whoever has lost the token of an account, or has submitted\n"
        "under a name before there were accounts, is invited to that name.\n"
        "users: lists the accounts, and the names that are nobody's (unclaimed).\n"
        "role NAME ROLE: makes the account a member's, staff's or an admin's.\n"
        "assign OLD-NAME ACCOUNT: gives the account what was submitted under OLD-NAME.\n"
        "ban NAME, unban NAME: its owner is signed out and refused, or let in again. "
        "What was\n"
        "submitted stays. close and open are other words for these.\n"
        "reset NAME: prints the command, and link, by which its owner sets a password,\n"
        "once within 24 hours.\n"
        "quota NAME: shows what the account has used of its quotas. quota NAME hour=N\n"
        "in-flight=N device-seconds=N: sets its own, where 0 is no limit. Of those that\n"
        "are not named the judge's count, and with `quota NAME judge` of all.\n"
        "delete NAME: removes the account for good, with its sources. Its results stay "
        "on\n"
        "the boards under a name such as deleted-7.\n"
        "queue: the submissions that are not done, with who has sent them. cancel ID: "
        "ends\n"
        "one. delete-submission ID: removes one that is judged, with all that hangs on "
        "it.\n"
        "announce TEXT: tells everybody, at the top of each page, in `status`, `whoami` "
        "and\n"
        "`login`, and for a day at the terminal of each `submit`. announcements: lists "
        "what is\n"
        "told. unannounce ID: tells it no more.\n"
        "export [--group GROUP] [--until TIME]: prints grades, a line for each person,\n"
        "problem and board: verdict, best time, share of the limit, rank among these\n"
        "people, attempts, when the first accepted one came, and who has sent the same.\n"
        "For a group's teachers it has each assignment's problems, also where nothing "
        "was\n"
        "submitted, and what is late.\n"
        "rejudge ID..., rejudge --problem SLUG [--changed], rejudge --device NAME: "
        "judges\n"
        "submissions again, behind what people submit, and prints which verdicts and "
        "ranks\n"
        "changed. All results are replaced at once, or none; `status ID` shows what was\n"
        "before. With --preview nothing is replaced. rejudge show, rejudge cancel: tells "
        "of\n"
        "the run that is under way, or ends it.\n"
        "begin-board SLUG... -d NAME: begins the boards of these problems anew, as after "
        "a\n"
        "new driver. Their entries stay visible as those of before (`rank --older`).\n"
        "equal [--problem SLUG]: lists work that several people have sent to one "
        "problem, "
        "the\n"
        "newest first: the same source but for names, or the same PTX. It is for the "
        "staff.\n"
        "calibration: a line for each GPU: how fast it was on its newest day, against "
        "what is\n"
        "usual. It is for the staff, too.\n"
        "backup FILE: writes the database of this machine's judge to a new file, also "
        "while\n"
        "it judges. restore FILE: puts a backup back while no judge runs; the old "
        "database\n"
        "stays beside it.\n"
        "\n"
        "On the judge's own machine the user who runs it, and root, are admins.",
    .example = "  warpjudge admin invite ada --role staff\n"
               "  warpjudge admin export --csv --group physics-2026 > grades.csv\n"
               "  warpjudge admin announce \"No judge on Friday from 18:00 to 19:00.\"\n"
               "  warpjudge admin assign old-ada ada\n"
               "  warpjudge admin rejudge --problem vector-addition --changed --preview\n"
               "  warpjudge admin backup /var/backups/judge-monday.db\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = REJUDGE_IDS_MOST + 1,
    .missing = "say what to do, as in `warpjudge admin users`",
    .run = admin_verb,
};

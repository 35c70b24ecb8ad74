/* `group`: classes, who teaches them, and who is in them. */
#include "base/buf.h"
#include "base/file.h"
#include "base/utf8.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/csv.h"
#include "cli/format.h"
#include "cli/group_assign.h"
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

#define DAYS_MOST 365
#define USES_MOST 1000
#define PROBLEMS_MOST 50 /* of an assignment */
#define ROSTER_BYTES_MAX ((size_t)1 << 20)

/* The path of a group, or of something below it; the caller frees it. */
static char *
group_path(const char *group, const char *below, const char *name)
{
    char *escaped = client_escape(group);
    char *last = name != NULL ? client_escape(name) : NULL;
    char *path =
        xasprintf("/api/groups/%s%s%s", escaped, below, last != NULL ? last : "");

    free(escaped);
    free(last);
    return path;
}

/* POSTs a body to a path. Both are freed. */
static int
group_post(struct cli *cli, char *path, cJSON *body, cJSON **answer)
{
    const int status =
        client_exit_status(client_post(cli->client, path, body, answer, &cli->report));

    cJSON_Delete(body);
    free(path);
    return status;
}

/* Asks a path, which is freed, by GET. */
static int
group_get(struct cli *cli, char *path, cJSON **answer)
{
    const int status =
        client_exit_status(client_get(cli->client, path, answer, &cli->report));

    free(path);
    return status;
}

/* Adds --days and --uses, where they are given. */
static int
group_add_numbers(struct cli *cli, cJSON *body)
{
    static const struct {
        enum flag flag;
        long most;
    } NUMBERS[] = {{FLAG_DAYS, DAYS_MOST}, {FLAG_USES, USES_MOST}};
    long value;

    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        if (cli->args.flag[NUMBERS[i].flag] == NULL)
            continue;
        if (args_number(&cli->args, NUMBERS[i].flag, NUMBERS[i].most, &value,
                        &cli->report) != 0)
            return EXIT_BAD_INPUT;
        cJSON_AddNumberToObject(body, flag_name(NUMBERS[i].flag), (double)value);
    }
    return 0;
}

/* The link by which somebody joins; the caller frees it. Over the socket the judge's
 * address is not known here. */
static char *
group_link(struct cli *cli, const char *secret)
{
    const char *url = client_url(cli->client);

    return xasprintf("%s/#%s", url != NULL ? url : "https://ADDRESS-OF-THIS-JUDGE",
                     secret);
}

/* --- groups -------------------------------------------------------------- */

static int
group_list(struct cli *cli)
{
    static const struct column columns[] = {
        {"group", false}, {"you are", false}, {"members", true}, {"since", false}};
    struct table *table;
    cJSON *answer = NULL;
    const cJSON *g;
    struct text32 date;
    const int status = group_get(cli, xstrdup("/api/groups"), &answer);

    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL) {
        cli_print_json(cli, answer);
    } else if (status == 0) {
        table = table_new(columns, sizeof columns / sizeof *columns);
        cJSON_ArrayForEach(g, answer_array(answer, "groups"))
        {
            table_row(table, STYLE_PLAIN);
            table_cell(table, "%s", answer_string(g, "group"));
            table_cell(table, "%s", answer_string(g, "standing"));
            table_cell(table, "%ld", answer_count(g, "members"));
            table_cell(table, "%s", format_date(&date, answer_number(g, "created_ms")));
        }
        table_print(table, &cli->out);
        table_free(table);
    }
    cJSON_Delete(answer);
    return status;
}

static int
group_new(struct cli *cli, const char *name)
{
    const char *teacher = cli->args.flag[FLAG_TEACHER];
    cJSON *body = cJSON_CreateObject(), *answer = NULL;
    int status;

    cJSON_AddStringToObject(body, "name", name);
    if (teacher != NULL)
        cJSON_AddStringToObject(body, "teacher", teacher);
    status = group_post(cli, xstrdup("/api/groups"), body, &answer);
    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "the group %s is there; %s teaches it\n",
                       answer_string(answer, "group"),
                       teacher != NULL ? teacher : "your account");
    cJSON_Delete(answer);
    return status;
}

static int
group_delete(struct cli *cli, const char *name)
{
    cJSON *answer = NULL;
    char *path = group_path(name, "?name=", name);
    const int status =
        client_exit_status(client_delete(cli->client, path, &answer, &cli->report));

    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "the group %s is deleted\n", name);
    cJSON_Delete(answer);
    free(path);
    return status;
}

/* --- codes --------------------------------------------------------------- */

static int
group_code(struct cli *cli, const char *name)
{
    cJSON *body = cJSON_CreateObject(), *answer = NULL;
    struct text32 date;
    char *link;
    int status = group_add_numbers(cli, body);

    if (status != 0) {
        cJSON_Delete(body);
        return status;
    }
    status = group_post(cli, group_path(name, "/codes", NULL), body, &answer);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL) {
        cli_print_json(cli, answer);
    } else if (status == 0) {
        link = group_link(cli, answer_string(answer, "code"));
        terminal_print(&cli->out, STYLE_PLAIN, "warpjudge login '%s'\n", link);
        terminal_print(&cli->err, STYLE_DIM,
                       "It is good for %ld people, until %s. Who has an account types "
                       "`warpjudge group join CODE`.\n",
                       answer_count(answer, "uses_left"),
                       format_date(&date, answer_number(answer, "expires_ms")));
        free(link);
    }
    cJSON_Delete(answer);
    return status;
}

static int
group_codes(struct cli *cli, const char *name)
{
    static const struct column columns[] = {
        {"made", false}, {"expires", false}, {"uses left", true}};
    struct table *table;
    cJSON *answer = NULL;
    const cJSON *code;
    struct text32 date;
    const int status = group_get(cli, group_path(name, "/codes", NULL), &answer);

    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL) {
        cli_print_json(cli, answer);
    } else if (status == 0) {
        table = table_new(columns, sizeof columns / sizeof *columns);
        cJSON_ArrayForEach(code, answer_array(answer, "codes"))
        {
            table_row(table, STYLE_PLAIN);
            table_cell(table, "%s",
                       format_date(&date, answer_number(code, "created_ms")));
            table_cell(table, "%s",
                       format_date(&date, answer_number(code, "expires_ms")));
            table_cell(table, "%ld", answer_count(code, "uses_left"));
        }
        table_print(table, &cli->out);
        table_free(table);
    }
    cJSON_Delete(answer);
    return status;
}

static int
group_withdraw(struct cli *cli, const char *name)
{
    cJSON *answer = NULL;
    char *path = group_path(name, "/codes", NULL);
    const int status =
        client_exit_status(client_delete(cli->client, path, &answer, &cli->report));

    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "no code of %s is good any more\n", name);
    cJSON_Delete(answer);
    free(path);
    return status;
}

/* `code` may be a link, whose fragment is the code. */
static int
group_join(struct cli *cli, const char *code)
{
    const char *hash = strrchr(code, '#');
    cJSON *body = cJSON_CreateObject(), *answer = NULL;
    int status;

    cJSON_AddStringToObject(body, "code", hash != NULL ? hash + 1 : code);
    status = group_post(cli, xstrdup("/api/account/groups"), body, &answer);
    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "you are in the group %s\n",
                       answer_string(answer, "group"));
    cJSON_Delete(answer);
    return status;
}

/* --- roster -------------------------------------------------------------- */

static void
group_print_roster(struct cli *cli, const cJSON *answer)
{
    static const struct column columns[] = {{"user", false},
                                            {"full name", false},
                                            {"id", false},
                                            {"is", false},
                                            {"since", false}};
    struct table *table = table_new(columns, sizeof columns / sizeof *columns);
    const cJSON *m;
    struct text32 date;

    cJSON_ArrayForEach(m, answer_array(answer, "members"))
    {
        const bool joined = strcmp(answer_string(m, "place"), "joined") == 0;

        table_row(table, joined ? STYLE_PLAIN : STYLE_DIM);
        table_cell(table, "%s", answer_string(m, "user"));
        table_cell(table, "%s", answer_string(m, "full_name"));
        table_cell(table, "%s", answer_string(m, "student_id"));
        table_cell(table, "%s",
                   !joined                     ? answer_string(m, "place")
                   : answer_true(m, "teacher") ? "teacher"
                                               : "member");
        table_cell(table, "%s", format_date(&date, answer_number(m, "since_ms")));
    }
    table_may_cut(table, 1, 8);
    table_print(table, &cli->out);
    table_free(table);
}

static int
group_roster(struct cli *cli, const char *name)
{
    static const char *const KEYS[] = {"user",  "full_name", "student_id", "teacher",
                                       "place", "since_ms",  NULL};
    cJSON *answer = NULL;
    const int status = group_get(cli, group_path(name, "/members", NULL), &answer);

    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0 && cli->args.flag[FLAG_CSV] != NULL)
        csv_print(stdout, KEYS, answer_array(answer, "members"));
    else if (status == 0)
        group_print_roster(cli, answer);
    cJSON_Delete(answer);
    return status;
}

/* Reads the roster's file. The judge says what is wrong in a line of it. */
static int
roster_read(const char *path, struct buf *out, struct report *r)
{
    size_t valid;

    if (file_read(path, ROSTER_BYTES_MAX, out, r) != 0)
        return -1;
    valid = utf8_prefix(out->data, out->len);
    if (memchr(out->data, '\0', out->len) != NULL)
        report_fail(r, "%s holds a NUL byte: save it as CSV in UTF-8", path);
    else if (valid < out->len)
        report_fail(r, "%s is not UTF-8 at its byte %zu: save it as CSV in UTF-8", path,
                    valid);
    else
        return 0;
    buf_free(out);
    return -1;
}

/* Prints a command for each who is invited. A person with an account joins by a code. */
static void
group_print_enrolled(struct cli *cli, const cJSON *answer)
{
    int invited = 0, asked = 0, kept = 0;
    const cJSON *row;

    cJSON_ArrayForEach(row, answer_array(answer, "enrolled"))
    {
        const char *result = answer_string(row, "result");
        char *link;

        asked += strcmp(result, "asked") == 0;
        kept += strcmp(result, "kept") == 0;
        if (strcmp(result, "invited") != 0)
            continue;
        invited++;
        link = group_link(cli, answer_string(row, "invitation"));
        terminal_print(&cli->out, STYLE_PLAIN, "warpjudge login --user %s '%s'\n",
                       answer_string(row, "user"), link);
        free(link);
    }
    terminal_print(&cli->err, STYLE_DIM,
                   "%d invited, each by a command of their own; %d asked, who have an "
                   "account and join by a code; %d in the group before\n",
                   invited, asked, kept);
}

static void
group_print_links(struct cli *cli, const cJSON *answer)
{
    static const char *const KEYS[] = {"user", "full_name", "result", "link", NULL};
    cJSON *row;

    cJSON_ArrayForEach(row, answer_array(answer, "enrolled"))
    {
        const char *invitation = answer_string(row, "invitation");
        char *link = invitation[0] != '\0' ? group_link(cli, invitation) : xstrdup("");

        cJSON_AddStringToObject(row, "link", link);
        free(link);
    }
    csv_print(stdout, KEYS, answer_array(answer, "enrolled"));
}

static int
group_import(struct cli *cli, const char *name, const char *path)
{
    cJSON *body = cJSON_CreateObject(), *answer = NULL;
    struct buf csv = {0};
    int status = group_add_numbers(cli, body);

    if (status == 0 && roster_read(path, &csv, &cli->report) != 0)
        status = EXIT_BAD_INPUT;
    if (status != 0) {
        cJSON_Delete(body);
        return status;
    }
    cJSON_AddStringToObject(body, "csv", buf_str(&csv));
    buf_free(&csv);
    status = group_post(cli, group_path(name, "/members", NULL), body, &answer);
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0 && cli->args.flag[FLAG_CSV] != NULL)
        group_print_links(cli, answer);
    else if (status == 0)
        group_print_enrolled(cli, answer);
    cJSON_Delete(answer);
    return status;
}

/* --- one place ----------------------------------------------------------- */

static int
group_remove(struct cli *cli, const char *name, const char *user)
{
    cJSON *answer = NULL;
    char *path = group_path(name, "/members/", user);
    const int status =
        client_exit_status(client_delete(cli->client, path, &answer, &cli->report));

    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "%s is not in %s any more\n", user, name);
    cJSON_Delete(answer);
    free(path);
    return status;
}

static int
group_set_standing(struct cli *cli, const char *name, const char *user,
                   const char *standing)
{
    cJSON *body = cJSON_CreateObject(), *answer = NULL;
    int status;

    cJSON_AddStringToObject(body, "standing", standing);
    status = group_post(cli, group_path(name, "/members/", user), body, &answer);
    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "%s is a %s of %s\n",
                       answer_string(answer, "user"), standing, name);
    cJSON_Delete(answer);
    return status;
}

static int
group_invite(struct cli *cli, const char *name, const char *user)
{
    cJSON *body = cJSON_CreateObject(), *answer = NULL;
    char *path, *again, *link;
    int status = group_add_numbers(cli, body);

    if (status != 0) {
        cJSON_Delete(body);
        return status;
    }
    path = group_path(name, "/members/", user);
    again = xasprintf("%s/invitation", path);
    free(path);
    status = group_post(cli, again, body, &answer);
    if (status == 0) {
        link = group_link(cli, answer_string(answer, "invitation"));
        terminal_print(&cli->out, STYLE_PLAIN, "warpjudge login --user %s '%s'\n",
                       answer_string(answer, "user"), link);
        free(link);
    }
    cJSON_Delete(answer);
    return status;
}

/* --- the verb ------------------------------------------------------------ */

/* Does what the words say. -1: they say nothing that is known. */
static int
group_do(struct cli *cli, const char *const *w, int count)
{
    if (strcmp(w[0], "list") == 0 && count == 1)
        return group_list(cli);
    if (strcmp(w[0], "new") == 0 && count == 2)
        return group_new(cli, w[1]);
    if (strcmp(w[0], "delete") == 0 && count == 2)
        return group_delete(cli, w[1]);
    if (strcmp(w[0], "join") == 0 && count == 2)
        return group_join(cli, w[1]);
    if (strcmp(w[0], "leave") == 0 && count == 2)
        return group_remove(cli, w[1], cli_user(cli));
    if (strcmp(w[0], "code") == 0 && count == 2)
        return group_code(cli, w[1]);
    if (strcmp(w[0], "codes") == 0 && count == 2)
        return group_codes(cli, w[1]);
    if (strcmp(w[0], "withdraw") == 0 && count == 2)
        return group_withdraw(cli, w[1]);
    if (strcmp(w[0], "roster") == 0 && count == 2)
        return group_roster(cli, w[1]);
    if (strcmp(w[0], "import") == 0 && count == 3)
        return group_import(cli, w[1], w[2]);
    if (strcmp(w[0], "remove") == 0 && count == 3)
        return group_remove(cli, w[1], w[2]);
    if (strcmp(w[0], "invite") == 0 && count == 3)
        return group_invite(cli, w[1], w[2]);
    if ((strcmp(w[0], "teacher") == 0 || strcmp(w[0], "member") == 0) && count == 3)
        return group_set_standing(cli, w[1], w[2], w[0]);
    return group_assign_do(cli, w, count);
}

static int
group_verb(struct cli *cli)
{
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status = group_do(cli, cli->args.positional + 1, cli->args.count - 1);
    if (status >= 0)
        return status;
    report_fail(&cli->report,
                "`warpjudge group` knows list, join CODE, leave GROUP, new GROUP, delete "
                "GROUP, import GROUP FILE.csv, roster GROUP, code GROUP, codes GROUP, "
                "withdraw GROUP, invite GROUP USER, remove GROUP USER, teacher GROUP "
                "USER, member GROUP USER, assign GROUP NAME SLUG..., assignments GROUP, "
                "extend GROUP NAME USER and unassign GROUP NAME");
    return EXIT_BAD_INPUT;
}

static const struct verb_flag flags[] = {
    {FLAG_TEACHER, "new: the account that teaches the group, where an admin makes it"},
    {FLAG_DAYS, "import, invite, code: how long an invitation or code is good for"},
    {FLAG_USES, "code: how many people it is good for; otherwise 100"},
    {FLAG_OPENS, "assign: when it opens, as 2026-11-24 09:00, or the day"},
    {FLAG_CLOSES, "assign: when it closes; a day alone is to its end"},
    {FLAG_UNTIL, "extend: how long that person has; without it the extension ends"},
    {FLAG_ZONE, "assign, extend: the time zone of these; otherwise this machine's"},
    {FLAG_HIDDEN, "assign: nobody but the staff sees its problems before it opens"},
    {FLAG_CSV, "roster, import: the list as CSV"},
    {FLAG_JSON, "one JSON object on standard output, nothing else"},
    {0, NULL},
};

const struct verb verb_group = {
    .name = "group",
    .arguments = "list | join | leave | new | delete | import | roster | code | codes | "
                 "withdraw | invite | remove | teacher | member | assign | "
                 "assignments | extend | unassign",
    .summary = "join a class, or teach one",
    .about =
        "list: your groups. join CODE: joins the group of a code, or of a link with "
        "one.\n"
        "leave GROUP: you are in it no more. What you have submitted stays.\n"
        "\n"
        "The staff make groups, and a group's teachers do the rest. Nobody else but an\n"
        "admin knows of it, another teacher neither.\n"
        "new GROUP, delete GROUP: makes and removes a group. Accounts stay.\n"
        "import GROUP FILE.csv: takes a roster. Its first line names the columns: user, "
        "and\n"
        "full_name and student_id where you have them. Each user without an account gets "
        "an\n"
        "invitation, which makes an account of this name in the group. Who has an "
        "account\n"
        "joins by a code. Import again to add people, or to correct names.\n"
        "roster GROUP: who is in it. code GROUP: makes a code for many people. codes "
        "GROUP,\n"
        "withdraw GROUP: lists the codes, or makes all of them useless.\n"
        "invite GROUP USER: a new invitation for who has lost theirs. remove GROUP "
        "USER:\n"
        "takes somebody out. teacher GROUP USER, member GROUP USER: says who teaches.\n"
        "\n"
        "assignments GROUP: what is to be solved, and by when.\n"
        "assign GROUP NAME SLUG... --opens TIME --closes TIME: makes an assignment, or "
        "sets\n"
        "the one of this name. Members see its problems from its opening on. With\n"
        "--hidden these are in no list and take no submission before, but the staff's. "
        "What is\n"
        "accepted after its closing is late.\n"
        "extend GROUP NAME USER --until TIME: gives one person more time.\n"
        "unassign GROUP NAME: removes the assignment. Submissions stay.",
    .example =
        "  warpjudge group new physics-2026\n"
        "  warpjudge group import physics-2026 roster.csv --csv > links.csv\n"
        "  warpjudge group roster physics-2026 --csv\n"
        "  warpjudge group assign physics-2026 week-1 vector-addition reduction \\\n"
        "      --opens 2026-11-24 --closes \"2026-12-01 18:00\" --zone "
        "Europe/Berlin\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 3 + PROBLEMS_MOST,
    .missing = "say what to do, as in `warpjudge group list`",
    .run = group_verb,
};

#include "cli/group_assign.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/zone.h"

#include <stdlib.h>
#include <string.h>

/* The path below a group's assignments; the caller frees it. */
static char *
assignment_path(const char *group, const char *name, const char *below)
{
    char *escaped = client_escape(group);
    char *last = name != NULL ? client_escape(name) : NULL;
    char *path = xasprintf("/api/groups/%s/assignments%s%s%s", escaped,
                           name != NULL ? "/" : "", last != NULL ? last : "", below);

    free(escaped);
    free(last);
    return path;
}

/* The zone of --zone, or this machine's; the caller frees it. */
static char *
asked_zone(struct cli *cli)
{
    const char *zone = cli->args.flag[FLAG_ZONE];

    return zone != NULL ? xstrdup(zone) : zone_own(&cli->report);
}

/* Adds a flag's moment to the body. */
static int
add_moment(struct cli *cli, cJSON *body, enum flag flag, const char *key,
           const char *zone, enum zone_end end)
{
    const char *text = cli->args.flag[flag];
    int64_t ms;

    if (text == NULL)
        return report_fail(&cli->report, "say --%s, as in --%s \"2026-11-24 09:00\"",
                           flag_name(flag), flag_name(flag));
    if (zone_moment(text, zone, end, &ms, &cli->report) != 0) {
        report_prefix(&cli->report, "--%s", flag_name(flag));
        return -1;
    }
    cJSON_AddNumberToObject(body, key, (double)ms);
    return 0;
}

/* --- the list ------------------------------------------------------------ */

static void
print_assignment(struct cli *cli, const cJSON *a)
{
    const char *zone = answer_string(a, "zone"), *phase = answer_string(a, "phase");
    const double until_ms = answer_number(a, "until_ms");
    const cJSON *item;
    struct text32 opens, closes, until;

    terminal_print(&cli->out, STYLE_BOLD, "%s", answer_string(a, "assignment"));
    terminal_print(&cli->out, STYLE_PLAIN, "  %s  from %s to %s, %s\n", phase,
                   zone_text(&opens, answer_number(a, "opens_ms"), zone),
                   zone_text(&closes, answer_number(a, "closes_ms"), zone), zone);
    if (strcmp(answer_string(a, "before"), "hidden") == 0 &&
        strcmp(phase, "waiting") == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "  hidden until it opens\n");
    if (until_ms > 0)
        terminal_print(&cli->out, STYLE_PLAIN, "  for you to %s\n",
                       zone_text(&until, until_ms, zone));
    cJSON_ArrayForEach(item, answer_array(a, "problems")) if (cJSON_IsString(item))
        terminal_print(&cli->out, STYLE_PLAIN, "  %s\n", item->valuestring);
    cJSON_ArrayForEach(item, answer_array(a, "extensions")) terminal_print(
        &cli->out, STYLE_DIM, "  %s has until %s\n", answer_string(item, "user"),
        zone_text(&until, answer_number(item, "until_ms"), zone));
}

static int
assignments_list(struct cli *cli, const char *group)
{
    cJSON *answer = NULL;
    const cJSON *a;
    char *path = assignment_path(group, NULL, "");
    const int status =
        client_exit_status(client_get(cli->client, path, &answer, &cli->report));

    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        cJSON_ArrayForEach(a, answer_array(answer, "assignments"))
            print_assignment(cli, a);
    cJSON_Delete(answer);
    free(path);
    return status;
}

/* --- setting ------------------------------------------------------------- */

/* POSTs the body, which is freed, and prints the answer. */
static int
post_and_print(struct cli *cli, char *path, cJSON *body, const char *zone)
{
    cJSON *answer = NULL;
    struct text32 until;
    const int status =
        client_exit_status(client_post(cli->client, path, body, &answer, &cli->report));
    const double until_ms = status == 0 ? answer_number(answer, "until_ms") : 0;
    const char *user = status == 0 ? answer_string(answer, "user") : "";

    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0 && user[0] == '\0')
        print_assignment(cli, answer);
    else if (status == 0 && until_ms > 0)
        terminal_print(&cli->out, STYLE_PLAIN, "%s has until %s, %s\n", user,
                       zone_text(&until, until_ms, zone), zone);
    else if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "%s has no extension any more\n", user);
    cJSON_Delete(answer);
    cJSON_Delete(body);
    free(path);
    return status;
}

static int
assign(struct cli *cli, const char *const *w, int count)
{
    cJSON *body = cJSON_CreateObject();
    struct buf problems = {0};
    char *zone = asked_zone(cli);
    int status = EXIT_BAD_INPUT;

    for (int i = 3; i < count; i++)
        buf_printf(&problems, "%s%s", i > 3 ? "," : "", w[i]);
    cJSON_AddStringToObject(body, "name", w[2]);
    cJSON_AddStringToObject(body, "problems", buf_str(&problems));
    buf_free(&problems);
    if (zone != NULL &&
        add_moment(cli, body, FLAG_OPENS, "opens_ms", zone, ZONE_BEGIN) == 0 &&
        add_moment(cli, body, FLAG_CLOSES, "closes_ms", zone, ZONE_END) == 0) {
        cJSON_AddStringToObject(body, "zone", zone);
        if (cli->args.flag[FLAG_HIDDEN] != NULL)
            cJSON_AddStringToObject(body, "before", "hidden");
        status = post_and_print(cli, assignment_path(w[1], NULL, ""), body, zone);
    } else {
        cJSON_Delete(body);
    }
    free(zone);
    return status;
}

/* Without --until the extension is taken away. */
static int
assignment_extend(struct cli *cli, const char *const *w)
{
    cJSON *body = cJSON_CreateObject();
    char *zone = asked_zone(cli);
    int status = EXIT_BAD_INPUT;

    cJSON_AddStringToObject(body, "user", w[3]);
    if (zone != NULL &&
        (cli->args.flag[FLAG_UNTIL] == NULL ||
         add_moment(cli, body, FLAG_UNTIL, "until_ms", zone, ZONE_END) == 0))
        status =
            post_and_print(cli, assignment_path(w[1], w[2], "/extensions"), body, zone);
    else
        cJSON_Delete(body);
    free(zone);
    return status;
}

static int
assignment_drop(struct cli *cli, const char *group, const char *name)
{
    cJSON *answer = NULL;
    char *path = assignment_path(group, name, "");
    const int status =
        client_exit_status(client_delete(cli->client, path, &answer, &cli->report));

    if (status == 0)
        terminal_print(&cli->out, STYLE_PLAIN, "%s is no assignment of %s any more\n",
                       name, group);
    cJSON_Delete(answer);
    free(path);
    return status;
}

int
group_assign_do(struct cli *cli, const char *const *w, int count)
{
    if (strcmp(w[0], "assignments") == 0 && count == 2)
        return assignments_list(cli, w[1]);
    if (strcmp(w[0], "assign") == 0 && count >= 4)
        return assign(cli, w, count);
    if (strcmp(w[0], "unassign") == 0 && count == 3)
        return assignment_drop(cli, w[1], w[2]);
    if (strcmp(w[0], "extend") == 0 && count == 4)
        return assignment_extend(cli, w);
    return -1;
}

#include "cli/admin_export.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/csv.h"
#include "cli/zone.h"

#include <stdlib.h>
#include <time.h>

/* The path of the grades, which the caller frees; NULL and a report for a wrong flag. */
static char *
grades_path(struct cli *cli)
{
    const char *const *flag = cli->args.flag;
    struct buf path = {0};
    char *zone, *group;
    int64_t until_ms = 0;
    int rc = 0;

    if (flag[FLAG_UNTIL] != NULL) {
        zone =
            flag[FLAG_ZONE] != NULL ? xstrdup(flag[FLAG_ZONE]) : zone_own(&cli->report);
        if (zone == NULL)
            return NULL;
        rc = zone_moment(flag[FLAG_UNTIL], zone, ZONE_END, &until_ms, &cli->report);
        free(zone);
    }
    if (rc != 0) {
        report_prefix(&cli->report, "--%s", flag_name(FLAG_UNTIL));
        return NULL;
    }
    if (flag[FLAG_GROUP] != NULL) {
        group = client_escape(flag[FLAG_GROUP]);
        buf_printf(&path, "/api/groups/%s/grades", group);
        free(group);
    } else {
        buf_puts(&path, "/api/grades");
    }
    if (until_ms != 0)
        buf_printf(&path, "?until=%lld", (long long)until_ms);
    return buf_take(&path);
}

/* Adds a moment as text (ISO 8601, in UTC), beside its number. */
static void
add_moment_text(cJSON *row, const char *key, const char *from)
{
    const double ms = answer_number(row, from);
    const time_t seconds = ms > 0 && ms < 1e15 ? (time_t)(ms / 1000) : 0;
    char text[32];
    struct tm tm;

    if (seconds > 0 && gmtime_r(&seconds, &tm) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
        cJSON_AddStringToObject(row, key, text);
}

/* Adds whom a row's work is equal to as text, as "ann (source) bob (ptx)". */
static void
add_equal_text(cJSON *row)
{
    struct buf text = {0};
    const cJSON *one;

    cJSON_ArrayForEach(one, answer_array(row, "equal_to"))
        buf_printf(&text, "%s%s (%s)", text.len > 0 ? " " : "",
                   answer_string(one, "user"), answer_string(one, "kind"));
    if (text.len > 0)
        cJSON_AddStringToObject(row, "equal", buf_str(&text));
    buf_free(&text);
}

static void
export_print_csv(struct cli *cli, const cJSON *answer)
{
    static const char *const KEYS[] = {
        "user",    "full_name", "student_id",  "assignment", "problem",  "board",
        "verdict", "time_ns",   "limit_share", "rank",       "attempts", "first_accepted",
        "late",    "best",      "best_late",   "submission", "equal",    NULL};
    cJSON *row;

    cJSON_ArrayForEach(row, answer_array(answer, "grades"))
    {
        add_moment_text(row, "first_accepted", "first_accepted_ms");
        add_moment_text(row, "best", "best_ms");
        add_equal_text(row);
    }
    csv_print(cli->out.file, KEYS, answer_array(answer, "grades"));
}

int
admin_export(struct cli *cli)
{
    const char *const *flag = cli->args.flag;
    cJSON *answer = NULL;
    char *path;
    int status = EXIT_BAD_INPUT;

    if (flag[FLAG_JSON] != NULL && flag[FLAG_CSV] != NULL) {
        report_fail(&cli->report, "--json and --csv contradict each other: give one");
        return status;
    }
    path = grades_path(cli);
    if (path != NULL)
        status = cli_connect(cli);
    if (path != NULL && status == 0)
        status = client_exit_status(client_get(cli->client, path, &answer, &cli->report));
    if (status == 0 && flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        export_print_csv(cli, answer);
    cJSON_Delete(answer);
    free(path);
    return status;
}

#include "cli/admin_quota.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"

#include <stdlib.h>
#include <string.h>

static const struct own_quota {
    const char *word, *member, *what;
} QUOTAS[] = {{"hour", "per_hour", "submissions an hour"},
              {"in-flight", "in_flight", "submissions in flight"},
              {"device-seconds", "device_seconds", "seconds of devices a day"}};

#define QUOTA_COUNT (sizeof QUOTAS / sizeof *QUOTAS)

/* Adds "hour=60" to the body. */
static int
quota_take_word(const char *word, cJSON *body, struct report *r)
{
    for (size_t i = 0; i < QUOTA_COUNT; i++) {
        const size_t len = strlen(QUOTAS[i].word);
        char *end;
        long number;

        if (strncmp(word, QUOTAS[i].word, len) != 0 || word[len] != '=')
            continue;
        number = strtol(word + len + 1, &end, 10);
        if (end == word + len + 1 || *end != '\0' || number < 0)
            return report_fail(r, "%.40s: it must be a number, where 0 is no limit",
                               word);
        cJSON_AddNumberToObject(body, QUOTAS[i].member, (double)number);
        return 0;
    }
    return report_fail(r,
                       "%.40s is no quota: write judge, or some of hour=N, in-flight=N "
                       "and device-seconds=N",
                       word);
}

/* The words after the name: quotas, or "judge" alone. NULL and a report. */
static cJSON *
quota_body(const char *const *words, int count, struct report *r)
{
    cJSON *body = cJSON_CreateObject();

    if (count == 1 && strcmp(words[0], "judge") == 0)
        return body;
    for (int i = 0; i < count; i++) {
        if (quota_take_word(words[i], body, r) != 0) {
            cJSON_Delete(body);
            return NULL;
        }
    }
    return body;
}

static void
quota_print_account(const struct terminal *t, const cJSON *answer)
{
    const cJSON *quota = cJSON_GetObjectItemCaseSensitive(answer, "quota");
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(answer, "own");
    const cJSON *judge = cJSON_GetObjectItemCaseSensitive(answer, "judge");

    for (size_t i = 0; i < QUOTA_COUNT; i++) {
        const cJSON *part = cJSON_GetObjectItemCaseSensitive(quota, QUOTAS[i].member);
        const bool is_own =
            cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(own, QUOTAS[i].member));
        const long limit = answer_count(is_own ? own : judge, QUOTAS[i].member);

        if (limit == 0) {
            terminal_print(t, STYLE_PLAIN, "%s: no limit", QUOTAS[i].what);
        } else {
            /* That of the hour was there first, and has no object. */
            const long used = answer_count(cJSON_IsObject(part) ? part : quota, "used");

            terminal_print(t, STYLE_PLAIN, "%s: %ld of %ld", QUOTAS[i].what, used, limit);
        }
        terminal_print(t, STYLE_PLAIN, "%s\n", is_own ? ", set for this account" : "");
    }
}

int
admin_quota(struct cli *cli, const char *name, const char *const *words, int count)
{
    cJSON *body = NULL, *answer = NULL;
    char *escaped, *path;
    int status;

    if (count > 0 && (body = quota_body(words, count, &cli->report)) == NULL)
        return EXIT_BAD_INPUT;
    status = cli_connect(cli);
    if (status != 0) {
        cJSON_Delete(body);
        return status;
    }
    escaped = client_escape(name);
    path = xasprintf("/api/accounts/%s/quota", escaped);
    status = client_exit_status(
        body != NULL ? client_post(cli->client, path, body, &answer, &cli->report)
                     : client_get(cli->client, path, &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        quota_print_account(&cli->out, answer);
    cJSON_Delete(answer);
    cJSON_Delete(body);
    free(path);
    free(escaped);
    return status;
}

#include "cli/grade_ask.h"

#include "base/file.h"
#include "cli/client.h"

#include <poll.h>

/* For so long a judge that went away is waited for. */
#define LOST_MS UINT64_C(600000)
#define RETRY_MS 500
#define NS_PER_MS UINT64_C(1000000)

static enum client_result
grade_ask_once(struct cli *cli, const char *path, const char *key, const cJSON *body,
               cJSON **out, struct report *why)
{
    *why = (struct report){0};
    if (body == NULL)
        return client_get(cli->client, path, out, why);
    return client_post_once(cli->client, path, key, body, out, why);
}

static enum grade_answer
grade_ask(struct cli *cli, const char *path, const char *key, const cJSON *body,
          cJSON **out, struct report *why, int *status)
{
    const uint64_t begin = now_ns();
    bool told = false;

    for (;;) {
        const enum client_result result = grade_ask_once(cli, path, key, body, out, why);
        const long http = client_status(cli->client);
        long ms = RETRY_MS;

        if (result == CLIENT_OK)
            return ANSWER_OK;
        if (client_retry_after_s(cli->client) > 0 && body != NULL)
            return ANSWER_LATER;
        if (client_retry_after_s(cli->client) > 0)
            ms = client_retry_after_s(cli->client) * 1000;
        else if (result != CLIENT_UNREACHABLE && http != 401 && http != 403)
            return ANSWER_REFUSED;
        if (http == 401 || http == 403 || now_ns() - begin > LOST_MS * NS_PER_MS) {
            report_fail(&cli->report, "%s; what is judged stands, and --resume goes on",
                        why->text);
            *status = client_exit_status(result);
            return ANSWER_END;
        }
        if (!told && cli->err.live)
            terminal_rewrite(&cli->err,
                             "the judge went away; waiting for it to come back");
        told = true;
        (void)poll(NULL, 0, (int)ms);
    }
}

enum grade_answer
grade_get(struct cli *cli, const char *path, cJSON **out, struct report *why, int *status)
{
    return grade_ask(cli, path, NULL, NULL, out, why, status);
}

enum grade_answer
grade_post(struct cli *cli, const char *path, const char *key, const cJSON *body,
           cJSON **out, struct report *why, int *status)
{
    return grade_ask(cli, path, key, body, out, why, status);
}

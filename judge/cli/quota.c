#include "cli/quota.h"

#include "cli/answer.h"

static void
quota_print_wait(const struct terminal *t, const cJSON *part)
{
    if (answer_count(part, "retry_s") > 0)
        terminal_print(t, STYLE_WARN, ": the next one can be made in %ld s",
                       answer_count(part, "retry_s"));
    terminal_print(t, STYLE_PLAIN, "\n");
}

void
quota_print(const struct terminal *t, const cJSON *answer)
{
    const cJSON *quota = cJSON_GetObjectItemCaseSensitive(answer, "quota");
    const cJSON *flight = cJSON_GetObjectItemCaseSensitive(quota, "in_flight");
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(quota, "device_seconds");

    if (answer_count(quota, "per_hour") > 0) {
        terminal_print(t, STYLE_PLAIN, "you have made %ld of %ld submissions an hour",
                       answer_count(quota, "used"), answer_count(quota, "per_hour"));
        quota_print_wait(t, quota);
    }
    if (flight != NULL) {
        terminal_print(t, STYLE_PLAIN, "you have %ld of %ld submissions in flight",
                       answer_count(flight, "used"), answer_count(flight, "limit"));
        quota_print_wait(t, flight);
    }
    if (device != NULL) {
        terminal_print(t, STYLE_PLAIN, "you have used devices for %ld of %ld s a day",
                       answer_count(device, "used"), answer_count(device, "limit"));
        quota_print_wait(t, device);
    }
}

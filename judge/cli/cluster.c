#include "cli/cluster.h"

#include "cli/answer.h"

#include <stdio.h>
#include <time.h>

static void
print_group(const struct terminal *t, const cJSON *group)
{
    const long running = answer_count(group, "running");
    const long pending = answer_count(group, "pending");
    const char *reason = answer_string(group, "reason");

    terminal_paragraph(t, STYLE_PLAIN, 0,
                       "Slurm, %s (%s): pilots that judge: %ld of at most %ld; that wait "
                       "for a node: %ld%s%s%s",
                       answer_string(group, "name"), answer_string(group, "board"),
                       running, answer_count(group, "limit"), pending,
                       reason[0] != '\0' ? " (" : "", reason,
                       reason[0] != '\0' ? ")" : "");
    if (answer_string(group, "trouble")[0] != '\0')
        terminal_paragraph(t, STYLE_WARN, 4, "    pilots are missing: %s",
                           answer_string(group, "trouble"));
}

static void
print_event(const struct terminal *t, const cJSON *event)
{
    const time_t at = (time_t)(answer_number(event, "at_ms") / 1000);
    struct tm parts;
    char clock[16] = "";

    if (localtime_r(&at, &parts) != NULL)
        strftime(clock, sizeof clock, "%H:%M:%S", &parts);
    terminal_paragraph(t, STYLE_DIM, 4, "    %s %s", clock, answer_string(event, "text"));
}

void
cluster_print(const struct terminal *t, const cJSON *health)
{
    const cJSON *slurm = cJSON_GetObjectItemCaseSensitive(health, "slurm"), *item;

    if (!cJSON_IsObject(slurm))
        return;
    if (answer_string(slurm, "trouble")[0] != '\0')
        terminal_paragraph(t, STYLE_WARN, 0, "Slurm does not answer: %s",
                           answer_string(slurm, "trouble"));
    cJSON_ArrayForEach(item, answer_array(slurm, "groups")) print_group(t, item);
    cJSON_ArrayForEach(item, answer_array(slurm, "events")) print_event(t, item);
}

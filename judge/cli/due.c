#include "cli/due.h"

#include "cli/answer.h"
#include "cli/zone.h"

void
due_print(const struct terminal *t, const cJSON *answer)
{
    const cJSON *due;
    struct text32 closed;

    cJSON_ArrayForEach(due, answer_array(answer, "assignments"))
    {
        const char *zone = answer_string(due, "zone");

        if (answer_true(due, "late"))
            terminal_print(t, STYLE_WARN, "late for %s of %s, which closed %s, %s\n",
                           answer_string(due, "assignment"), answer_string(due, "group"),
                           zone_text(&closed, answer_number(due, "closes_ms"), zone),
                           zone);
    }
}

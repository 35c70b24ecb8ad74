#include "cli/announcements.h"

#include "base/file.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/format.h"

#define DAY_MS 86400000.0

void
announcements_print(struct cli *cli, const struct terminal *t,
                    enum announcements_shown shown)
{
    struct report unused = {0};
    cJSON *answer = NULL;
    const cJSON *a;
    struct text32 date;

    if (client_get(cli->client, "/api/announcements", &answer, &unused) != CLIENT_OK)
        return;
    cJSON_ArrayForEach(a, answer_array(answer, "announcements"))
    {
        const double created_ms = answer_number(a, "created_ms");

        if (shown == ANNOUNCEMENTS_ALL || (double)now_ms() - created_ms < DAY_MS)
            terminal_paragraph(t, STYLE_WARN, 0, "announced %s: %s",
                               format_date(&date, created_ms), answer_string(a, "text"));
    }
    cJSON_Delete(answer);
}

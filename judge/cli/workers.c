#include "cli/workers.h"

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/format.h"
#include "cli/table.h"

#include <string.h>

#define WORKERS_MOST "1000" /* as many as a page may have */

static void
workers_row(struct table *table, const cJSON *w)
{
    const long submission = answer_count(w, "submission");

    table_row(table, STYLE_PLAIN);
    table_cell(table, "%s", answer_string(w, "node"));
    table_cell(table, "%s", answer_string(w, "device"));
    table_cell(table, "%s",
               strcmp(answer_string(w, "role"), "compile") == 0
                   ? "compiles for others"
                   : answer_string(w, "board"));
    if (answer_string(w, "drained")[0] != '\0')
        table_cell(table, "drained");
    else if (answer_string(w, "resting")[0] != '\0')
        table_cell(table, "rests");
    else if (submission > 0)
        table_cell(table, "%ld (attempt %ld)", submission, answer_count(w, "attempt"));
    else
        table_cell(table, "free");
    table_cell(table, "%ld", answer_count(w, "judged"));
    table_cell(table, "%ld", answer_count(w, "lost"));
    table_cell(table, "%s", answer_string(w, "driver"));
    table_cell(table, "%s", answer_string(w, "toolkit"));
}

static void
workers_table(const struct terminal *t, const cJSON *list)
{
    enum { NODE, DEVICE, BOARD, JUDGES, JUDGED, LOST, DRIVER, TOOLKIT, COUNT };
    static const struct column columns[COUNT] = {
        [NODE] = {"worker", false},   [DEVICE] = {"device", false},
        [BOARD] = {"board", false},   [JUDGES] = {"judges", false},
        [JUDGED] = {"judged", true},  [LOST] = {"lost", true},
        [DRIVER] = {"driver", false}, [TOOLKIT] = {"toolkit", false},
    };
    struct table *table = table_new(columns, COUNT);
    const cJSON *w;

    table_may_leave(table, TOOLKIT, 2);
    table_may_leave(table, DRIVER, 1);
    cJSON_ArrayForEach(w, list) workers_row(table, w);
    table_print(table, t);
    table_free(table);
}

void
workers_print(struct cli *cli, const struct terminal *t)
{
    struct report ignored = {0};
    cJSON *answer = NULL;
    const cJSON *list, *w;

    if (client_get(cli->client, "/api/workers?limit=" WORKERS_MOST, &answer, &ignored) !=
        CLIENT_OK)
        return;
    list = answer_array(answer, "workers");
    if (cJSON_GetArraySize(list) > 0) {
        terminal_print(t, STYLE_PLAIN, "\n");
        workers_table(t, list);
    }
    if (answer_count(answer, "count") > cJSON_GetArraySize(list))
        terminal_paragraph(t, STYLE_PLAIN, 0,
                           "These are the newest %d of %ld workers; the others are "
                           "pages of GET /api/v1/workers.",
                           cJSON_GetArraySize(list), answer_count(answer, "count"));
    cJSON_ArrayForEach(w, list)
    {
        if (answer_string(w, "resting")[0] != '\0')
            terminal_paragraph(t, STYLE_WARN, 0, "%s of %s gets no work: %s",
                               answer_string(w, "device"), answer_string(w, "node"),
                               answer_string(w, "resting"));
        if (answer_string(w, "no_pair")[0] != '\0')
            terminal_paragraph(t, STYLE_WARN, 0, "%s", answer_string(w, "no_pair"));
        else if (answer_string(w, "drained")[0] != '\0')
            terminal_paragraph(t, STYLE_WARN, 0, "%s of %s gets no work: %s",
                               answer_string(w, "device"), answer_string(w, "node"),
                               answer_string(w, "drained"));
        if (answer_string(w, "lacks")[0] != '\0')
            terminal_paragraph(t, STYLE_WARN, 0, "%s of %s lacks %s",
                               answer_string(w, "device"), answer_string(w, "node"),
                               answer_string(w, "lacks"));
    }
    cJSON_Delete(answer);
}

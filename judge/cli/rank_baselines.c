#include "cli/rank_baselines.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/format.h"

void
rank_baseline_rows(struct table *table, const cJSON **next, double time_ns, bool utf8)
{
    for (; *next != NULL && answer_number(*next, "time_ns") < time_ns;
         *next = (*next)->next) {
        struct text32 time;

        table_row(table, STYLE_DIM);
        table_cell(table, "%s", "--");
        table_cell(table, "%s, elsewhere", answer_string(*next, "name"));
        table_cell(table, "%s",
                   format_time(&time, answer_number(*next, "time_ns"), utf8));
    }
}

void
rank_print_baselines(const struct terminal *t, const cJSON *board)
{
    const cJSON *b, *list = answer_array(board, "baselines");

    if (cJSON_GetArraySize(list) > 0)
        terminal_print(t, STYLE_PLAIN, "\n");
    cJSON_ArrayForEach(b, list)
    {
        const char *about = answer_string(b, "about");
        struct text32 time;

        terminal_paragraph(
            t, STYLE_DIM, 0, "--  %s took %s, measured elsewhere: %s%s%s, %s (%s)",
            answer_string(b, "name"),
            format_time(&time, answer_number(b, "time_ns"), t->utf8), about,
            about[0] != '\0' ? ", " : "", answer_string(b, "versions"),
            answer_string(b, "date"), answer_string(b, "source"));
    }
}

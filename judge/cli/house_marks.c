#include "cli/house_marks.h"

#include "cli/answer.h"
#include "cli/format.h"
#include "cli/table.h"

void
house_count_print(const struct terminal *t, const cJSON *house)
{
    struct text32 steps;

    terminal_print(t, STYLE_PLAIN, "%ld of %s beaten", answer_count(house, "beaten"),
                   format_plural(&steps, answer_count(house, "steps"), "house step"));
}

void
house_marks_print(const struct terminal *t, const cJSON *board)
{
    static const struct column columns[] = {{"time", true}, {"house step", false}};
    const cJSON *house = cJSON_GetObjectItemCaseSensitive(board, "house"), *mark;
    struct table *table;

    if (answer_count(house, "steps") == 0)
        return;
    terminal_print(t, STYLE_PLAIN, "\n");
    house_count_print(t, house);
    terminal_print(t, STYLE_DIM, "; these take no rank\n\n");
    table = table_new(columns, sizeof columns / sizeof *columns);
    cJSON_ArrayForEach(mark, answer_array(house, "marks"))
    {
        const long step = answer_count(mark, "step");
        struct text32 text;

        table_row(table, answer_true(mark, "beaten") ? STYLE_PLAIN : STYLE_DIM);
        table_cell(table, "%s",
                   format_time(&text, answer_number(mark, "time_ns"), t->utf8));
        if (step > 0)
            table_cell(table, "%ld, %s", step, answer_string(mark, "name"));
        else
            table_cell(table, "%s",
                       answer_true(mark, "beaten") ? answer_string(mark, "name")
                                                   : "not beaten yet");
    }
    table_print(table, t);
    table_free(table);
}

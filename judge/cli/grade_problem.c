#include "cli/grade_problem.h"

#include "base/buf.h"
#include "cli/answer.h"

#include <stdlib.h>
#include <string.h>

static void
add_baseline(cJSON *list, const char *name, const cJSON *of, const char *low,
             const char *high)
{
    cJSON *item = cJSON_CreateObject();

    cJSON_AddStringToObject(item, "name", name);
    cJSON_AddNumberToObject(item, "time_ns", answer_number(of, "time_ns"));
    cJSON_AddNumberToObject(item, "low_ns", answer_number(of, low));
    cJSON_AddNumberToObject(item, "high_ns", answer_number(of, high));
    cJSON_AddItemToArray(list, item);
}

/* A baseline was measured elsewhere, and its file has no interval: it is a point. */
static cJSON *
baselines_of(const cJSON *board)
{
    const cJSON *marks =
        answer_array(cJSON_GetObjectItemCaseSensitive(board, "house"), "marks");
    const int count = cJSON_GetArraySize(marks);
    const cJSON *item;
    cJSON *list = cJSON_CreateArray();

    cJSON_ArrayForEach(item, answer_array(board, "baselines"))
        add_baseline(list, answer_string(item, "name"), item, "time_ns", "time_ns");
    if (count > 0) {
        add_baseline(list, "house-fastest", cJSON_GetArrayItem(marks, 0), "low_ns",
                     "high_ns");
        add_baseline(list, "house-slowest", cJSON_GetArrayItem(marks, count - 1),
                     "low_ns", "high_ns");
    }
    return list;
}

static bool
judged_on_emu(const cJSON *problem)
{
    const cJSON *device;

    cJSON_ArrayForEach(device, answer_array(problem, "devices"))
    {
        if (strcmp(answer_string(device, "name"), "emu") == 0)
            return answer_true(device, "judged");
    }
    return false;
}

struct grade_problem *
grade_problem_new(const char *slug, const cJSON *problem, const cJSON *board)
{
    struct grade_problem *p = xcalloc(1, sizeof *p);

    p->slug = xstrdup(slug);
    p->difficulty = xstrdup(answer_string(problem, "difficulty"));
    p->tags = cJSON_Duplicate(answer_array(problem, "tags"), true);
    p->on_emu = judged_on_emu(problem);
    p->meaning = xstrdup(answer_string(board, "meaning"));
    p->baselines = baselines_of(board);
    return p;
}

struct grade_problem *
grade_problem_refused(const char *slug, const char *why)
{
    struct grade_problem *p = xcalloc(1, sizeof *p);

    p->slug = xstrdup(slug);
    p->refused = xstrdup(why);
    return p;
}

void
grade_problem_free(struct grade_problem *p)
{
    free(p->slug);
    free(p->refused);
    free(p->difficulty);
    free(p->meaning);
    cJSON_Delete(p->tags);
    cJSON_Delete(p->baselines);
    free(p);
}

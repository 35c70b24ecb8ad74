#include "daemon/marks_json.h"

#include "daemon/daemon.h"
#include "problem/ladder.h"
#include "record/marks.h"
#include "record/ranked_interval.h"

#include <stdlib.h>

static cJSON *
mark_json(const struct mark *m, const struct measured *own)
{
    const bool beaten = mark_is_beaten(m, own);
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "time_ns", m->time.time_ns);
    cJSON_AddNumberToObject(o, "low_ns", m->time.low_ns);
    cJSON_AddNumberToObject(o, "high_ns", m->time.high_ns);
    cJSON_AddBoolToObject(o, "beaten", beaten);
    if (beaten) {
        const int number = ladder_number(m->filename);
        char *name = ladder_name(m->filename);

        if (number > 0)
            cJSON_AddNumberToObject(o, "step", number);
        cJSON_AddStringToObject(o, "name", name);
        free(name);
    }
    return o;
}

static void
add_counts(cJSON *o, const struct marks *marks, const struct measured *ranked)
{
    cJSON_AddNumberToObject(o, "steps", (double)marks->count);
    cJSON_AddNumberToObject(o, "beaten", (double)marks_beaten(marks, ranked));
}

cJSON *
board_house_json(struct daemon *d, const struct board *b, const char *user,
                 struct report *r)
{
    struct marks marks;
    struct measured own;
    cJSON *o, *list;

    if (store_marks(d->store, b, &marks, r) != 0)
        return NULL;
    if (store_own_time(d->store, b, user, &own, r) != 0) {
        marks_free(&marks);
        return NULL;
    }
    o = cJSON_CreateObject();
    add_counts(o, &marks, &own);
    list = cJSON_AddArrayToObject(o, "marks");
    for (size_t i = 0; i < marks.count; i++)
        cJSON_AddItemToArray(list, mark_json(&marks.row[i], &own));
    marks_free(&marks);
    return o;
}

int
add_house_count(cJSON *o, struct daemon *d, const struct board *b,
                const struct measured *time, struct report *r)
{
    const struct measured ranked = ranked_interval(time, b->device);
    struct marks marks;

    if (store_marks(d->store, b, &marks, r) != 0)
        return -1;
    if (marks.count > 0)
        add_counts(cJSON_AddObjectToObject(o, "house"), &marks, &ranked);
    marks_free(&marks);
    return 0;
}

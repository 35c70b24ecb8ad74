#include "daemon/places_json.h"

#include "daemon/daemon.h"
#include "daemon/meanings.h"
#include "record/ranked_interval.h"
#include "record/ranking.h"

#include <string.h>

/* Adds the entry's place, where its board is today's. */
static void
add_place(cJSON *places, struct daemon *d, const char *problem,
          const struct solved_entry *e)
{
    const struct board board = {problem, e->board, e->meaning};
    const struct ranked own = {ranked_interval(&e->time, e->board), e->submission};
    struct ranking *ranking;
    struct place place;
    cJSON *o;

    if (strcmp(meanings_get(d->meanings, problem, e->board), e->meaning) != 0)
        return;
    ranking = store_ranking(d->store, &board);
    place = ranking_place(ranking, &own.time, &own);
    ranking_release(ranking);
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "board", e->board);
    cJSON_AddNumberToObject(o, "rank", (double)place_rank(&place));
    cJSON_AddNumberToObject(o, "entries",
                            (double)(place.faster + place.ties + place.slower + 1));
    cJSON_AddNumberToObject(o, "ties", (double)place.ties);
    cJSON_AddNumberToObject(o, "percentile", place_percentile(&place));
    cJSON_AddNumberToObject(o, "time_ns", e->time.time_ns);
    cJSON_AddNumberToObject(o, "submission", (double)e->submission);
    cJSON_AddNumberToObject(o, "created_ms", (double)e->created_ms);
    cJSON_AddItemToArray(places, o);
}

cJSON *
places_json(struct daemon *d, const char *problem, const struct solved_entries *list)
{
    const char *first = d->devices.entry[0].board;
    cJSON *places = cJSON_CreateArray();

    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->row[i].board, first) == 0)
            add_place(places, d, problem, &list->row[i]);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->row[i].board, first) != 0)
            add_place(places, d, problem, &list->row[i]);
    return places;
}

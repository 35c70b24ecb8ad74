#include "daemon/slurm/slurm.h"

#include "daemon/slurm/state.h"

/* Why the first of the group's pilots waits in Slurm's queue, in Slurm's word; or NULL.
 */
static const char *
group_reason(const struct slurm *s, int group)
{
    for (size_t i = 0; i < s->pilots.count; i++) {
        const struct pilot *p = &s->pilots.row[i];

        if (p->group == group && p->pending && p->reason[0] != '\0')
            return p->reason;
    }
    return NULL;
}

static cJSON *
group_json(const struct slurm *s, int group)
{
    const struct slurm_group *g = &s->settings->group[group];
    const char *reason = group_reason(s, group);
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "name", g->name);
    cJSON_AddStringToObject(o, "board", g->board);
    cJSON_AddNumberToObject(o, "waiting", (double)s->waiting[group]);
    cJSON_AddNumberToObject(o, "running", pilots_of(&s->pilots, group, false));
    cJSON_AddNumberToObject(o, "pending", pilots_of(&s->pilots, group, true));
    cJSON_AddNumberToObject(o, "limit", g->pilots);
    if (reason != NULL)
        cJSON_AddStringToObject(o, "reason", reason);
    if (report_is_set(&s->group[group].trouble))
        cJSON_AddStringToObject(o, "trouble", s->group[group].trouble.text);
    return o;
}

cJSON *
slurm_json(const struct slurm *s)
{
    cJSON *o = cJSON_CreateObject(), *list;

    if (report_is_set(&s->trouble))
        cJSON_AddStringToObject(o, "trouble", s->trouble.text);
    list = cJSON_AddArrayToObject(o, "groups");
    for (int i = 0; i < s->settings->count; i++)
        cJSON_AddItemToArray(list, group_json(s, i));
    list = cJSON_AddArrayToObject(o, "events");
    for (int i = 0; i < s->event_count; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddNumberToObject(item, "at_ms", (double)s->event[i].at_ms);
        cJSON_AddStringToObject(item, "text", s->event[i].text);
        cJSON_AddItemToArray(list, item);
    }
    return o;
}

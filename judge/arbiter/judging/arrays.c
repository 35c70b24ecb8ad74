#include "arbiter/judging/arrays.h"

#include "base/json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

static void
arrays_add(cJSON *list, const struct param *p, const char *part, const struct extent *e,
           const void *bytes)
{
    cJSON *o = cJSON_CreateObject(), *shape;

    cJSON_AddStringToObject(o, "name", p->name);
    cJSON_AddStringToObject(o, "part", part);
    cJSON_AddStringToObject(o, "type", dtype_name(p->type));
    shape = cJSON_AddArrayToObject(o, "shape");
    for (int k = 0; k < e->rank; k++)
        cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)e->dim[k]));
    json_add_bytes(o, "data", bytes, e->bytes);
    cJSON_AddItemToArray(list, o);
}

static int
arrays_add_buffer(cJSON *list, struct device *d, const struct param *p, const char *part,
                  const struct extent *e, const struct device_buffer *b, struct report *r)
{
    void *bytes = xmalloc(e->bytes);
    const int rc = device_read(d, b, 0, e->bytes, bytes, r);

    if (rc == 0)
        arrays_add(list, p, part, e, bytes);
    free(bytes);
    return rc;
}

/* Adds an input. What an inout parameter held is filled in again, into the submission's
 * buffer, which nobody needs any more. */
static int
arrays_add_input(cJSON *list, struct judgement *j, const struct trial *t, int i,
                 struct report *r)
{
    const struct param *p = &j->problem->param[i];
    const struct call_set *known = t->answer->known;
    const struct device_buffer *from = known->buffer[i];

    if (p->dir == DIR_INOUT) {
        if (call_set_refill(t->set, i, known, t->answer->seed, r) != 0)
            return -1;
        from = t->set->buffer[i];
    }
    return arrays_add_buffer(list, j->device, p, "input", &t->set->extent[i], from, r);
}

static int
arrays_add_param(cJSON *list, struct judgement *j, const struct trial *t, int i,
                 bool has_outputs, struct report *r)
{
    const struct param *p = &j->problem->param[i];
    const struct extent *e = &t->set->extent[i];

    if (param_is_input(p) && arrays_add_input(list, j, t, i, r) != 0)
        return -1;
    if (!param_is_output(p))
        return 0;
    if (has_outputs &&
        arrays_add_buffer(list, j->device, p, "output", e, t->set->copy[i], r) != 0)
        return -1;
    return arrays_add_buffer(list, j->device, p, "expected", e,
                             t->answer->known->buffer[i], r);
}

int
arrays_take(struct judgement *j, const struct trial *t, struct report *r)
{
    const bool has_outputs = j->outcome.verdict == VERDICT_ACCEPTED ||
                             j->outcome.verdict == VERDICT_WRONG_ANSWER;
    cJSON *list = cJSON_CreateArray();
    int rc = 0;

    for (int i = 0; i < j->problem->param_count && rc == 0; i++)
        rc = arrays_add_param(list, j, t, i, has_outputs, r);
    if (rc == 0) {
        j->result.arrays = cJSON_PrintUnformatted(list);
        if (j->result.arrays == NULL)
            die(4, "out of memory");
    }
    cJSON_Delete(list);
    return rc;
}

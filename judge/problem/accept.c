/* "accepts" of a problem.json, from JSON to reasons by rule and by output. */
#include "problem/accept.h"

#include "problem/spec.h"

#include <string.h>

static const char *const keys[ACCEPT_COUNT + 1] = {
#define X(name, key) [ACCEPT_##name] = key,
    ACCEPTS(X)
#undef X
};

const char *
accept_key(enum accept a)
{
    return keys[a];
}

bool
accept_of_outputs(enum accept a)
{
    switch (a) {
    case ACCEPT_ZEROS:
    case ACCEPT_CONSTANT:
    case ACCEPT_COPY:
    case ACCEPT_BENCHMARK_ZEROS:
    case ACCEPT_BENCHMARK_CONSTANT:
    case ACCEPT_BENCHMARK_COPY:
        return true;
    default:
        return false;
    }
}

static void
read_reason(struct spec *s, const struct at *at, const cJSON *item, const char **out)
{
    const char *reason;

    if (spec_string(s, at, item, &reason) != 0)
        return;
    if (strspn(reason, " \t\r\n") == strlen(reason))
        spec_error(s, at, "must say why");
    else
        *out = reason;
}

/* Reasons for single outputs: {"OUTPUT": "why", ...} */
static void
read_of_outputs(struct spec *s, const struct at *at, const cJSON *object, enum accept a)
{
    const char *outputs[PROBLEM_PARAMS_MAX + 1];
    struct problem *p = s->problem;
    int count = 0;

    for (int i = 0; i < p->param_count; i++)
        if (p->param[i].dir == DIR_OUT || p->param[i].dir == DIR_INOUT)
            outputs[count++] = p->param[i].name;
    outputs[count] = NULL;
    if (spec_object(s, at, object, outputs) != 0)
        return;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        struct at here = {.up = at, .key = item->string};
        const int param = problem_param_index(p, item->string);

        if (param >= 0)
            read_reason(s, &here, item, &p->accepts_of[a][param]);
    }
}

void
accepts_read(struct spec *s, const cJSON *root)
{
    struct at at = {.key = "accepts"};
    const cJSON *object = spec_member(s, NULL, root, "accepts", false);

    if (object == NULL || spec_object(s, &at, object, keys) != 0)
        return;
    for (int a = 0; a < ACCEPT_COUNT; a++) {
        struct at here = {.up = &at, .key = keys[a]};
        const cJSON *item = spec_member(s, &at, object, keys[a], false);

        if (item == NULL)
            continue;
        if (cJSON_IsObject(item) && accept_of_outputs((enum accept)a))
            read_of_outputs(s, &here, item, (enum accept)a);
        else
            read_reason(s, &here, item, &s->problem->accepts[a]);
    }
}

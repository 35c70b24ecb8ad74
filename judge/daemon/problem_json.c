#include "daemon/problem_json.h"

#include "base/buf.h"
#include "compile/library.h"
#include "numbers/decimal.h"
#include "numbers/gen.h"
#include "problem/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_SHOWN_MAX 256

/* --- numbers ------------------------------------------------------------ */

static const char *
special_name(double value)
{
    return isnan(value) ? "NaN" : value < 0 ? "-infinity" : "infinity";
}

/* A number, or a text where JSON has no such number. */
static cJSON *
element_json(enum dtype type, const void *element)
{
    char text[DECIMAL_BYTES];

    decimal_text(type, element, text);
    return decimal_is_json(type, element) ? cJSON_CreateRaw(text)
                                          : cJSON_CreateString(text);
}

/* --- parameters and rules ----------------------------------------------- */

static void
add_tolerance(cJSON *o, const char *key, const struct tolerance *t)
{
    static const char *const MODES[] = {[COMPARE_EXACT] = "exact",
                                        [COMPARE_CLOSE] = "close",
                                        [COMPARE_ULP] = "ulp",
                                        [COMPARE_UNORDERED] = "unordered",
                                        [COMPARE_CHECKER] = "checker"};
    cJSON *item = cJSON_AddObjectToObject(o, key);

    cJSON_AddStringToObject(item, "mode", MODES[t->mode]);
    if (t->mode == COMPARE_CLOSE) {
        cJSON_AddNumberToObject(item, "atol", t->atol);
        cJSON_AddNumberToObject(item, "rtol", t->rtol);
    } else if (t->mode == COMPARE_ULP) {
        cJSON_AddNumberToObject(item, "ulp", t->ulp);
    }
    if (t->may_differ > 0)
        cJSON_AddNumberToObject(item, "may_differ", t->may_differ);
}

static void
add_buffer(cJSON *item, const struct problem *p, int param)
{
    const struct param *b = &p->param[param];
    cJSON *shape;

    cJSON_AddStringToObject(item, "space",
                            b->space == SPACE_HOST_PINNED ? "host_pinned" : "device");
    if (p->gpus > 1)
        cJSON_AddNumberToObject(item, "device", b->gpu);
    shape = cJSON_AddArrayToObject(item, "shape");
    for (int d = 0; d < b->rank; d++)
        cJSON_AddItemToArray(shape, cJSON_CreateString(b->shape_text[d]));
    if (b->dir == DIR_IN)
        return;
    if (b->dir == DIR_OUT)
        cJSON_AddStringToObject(item, "start",
                                b->start == START_ZEROS ? "zeros" : "anything");
    for (int timed = 0; timed < 2; timed++) {
        const struct tolerance t = problem_tolerance(p, param, timed);

        add_tolerance(item, timed ? "timed_tolerance" : "tolerance", &t);
    }
}

static void
add_params(cJSON *o, const struct problem *p)
{
    static const char *const DIRS[] = {[DIR_SCALAR] = "scalar",
                                       [DIR_IN] = "in",
                                       [DIR_OUT] = "out",
                                       [DIR_INOUT] = "inout"};
    cJSON *params = cJSON_AddArrayToObject(o, "params");

    for (int i = 0; i < p->param_count; i++) {
        const struct param *param = &p->param[i];
        cJSON *item = cJSON_CreateObject();

        cJSON_AddStringToObject(item, "name", param->name);
        cJSON_AddStringToObject(item, "type", dtype_name(param->type));
        cJSON_AddStringToObject(item, "dir", DIRS[param->dir]);
        cJSON_AddStringToObject(item, "about", param->about != NULL ? param->about : "");
        if (param->dir != DIR_SCALAR)
            add_buffer(item, p, i);
        else if (isfinite(param->min))
            cJSON_AddNumberToObject(item, "min", param->min);
        if (param->dir == DIR_SCALAR && isfinite(param->max))
            cJSON_AddNumberToObject(item, "max", param->max);
        cJSON_AddItemToArray(params, item);
    }
}

static void
add_limits(cJSON *o, const struct problem *p)
{
    cJSON *limits = cJSON_AddObjectToObject(o, "limits");
    cJSON *libraries = cJSON_AddArrayToObject(o, "libraries");

    cJSON_AddNumberToObject(limits, "time_ms", p->time_limit_ms);
    cJSON_AddNumberToObject(limits, "memory_bytes", (double)p->memory_limit);
    if (p->arch != NULL)
        cJSON_AddStringToObject(limits, "arch", p->arch);
    for (int l = 0; l < LIBRARY_COUNT; l++)
        if ((p->libraries & LIBRARY_BIT(l)) != 0)
            cJSON_AddItemToArray(libraries,
                                 cJSON_CreateString(library_key((enum library)l)));
}

static void
add_devices(cJSON *o, const struct problem *p, const struct devices *d)
{
    cJSON *list = cJSON_AddArrayToObject(o, "devices");

    for (int i = 0; i < d->count; i++) {
        struct report r = {0};
        cJSON *item = cJSON_CreateObject();

        cJSON_AddStringToObject(item, "name", d->entry[i].name);
        cJSON_AddStringToObject(item, "board", d->entry[i].board);
        cJSON_AddBoolToObject(item, "judged", devices_take(d, &d->entry[i], p, &r) == 0);
        cJSON_AddItemToArray(list, item);
    }
}

/* --- samples ------------------------------------------------------------ */

/* An input's elements, if they are the same for every seed; or NULL. The caller frees. */
static void *
fixed_values(const struct problem *p, const struct test_case *t, int param,
             const struct extent *e)
{
    struct report r = {0};
    void *first, *second;

    if (problem_value_source(p, t, param) == VALUE_SOURCE_FILE)
        return NULL;
    first = xcalloc(1, e->bytes);
    second = xcalloc(1, e->bytes);
    if (problem_make(p, t, param, 1, first, &r) != 0 ||
        problem_make(p, t, param, 2, second, &r) != 0 ||
        memcmp(first, second, e->bytes) != 0) {
        free(first);
        first = NULL;
    }
    free(second);
    return first;
}

static const struct example_value *
example_find(const struct example *e, const char *name)
{
    for (int i = 0; i < e->count; i++)
        if (strcmp(e->value[i].name, name) == 0 && e->value[i].wrong == NULL &&
            !e->value[i].wanted)
            return &e->value[i];
    return NULL;
}

static bool
number_is(const struct example_number *n, double value)
{
    return fabs(n->value - value) <= n->half_unit || n->value == value;
}

/* Does the example have all inputs of this test, with these values? */
static bool
example_is_of(const struct example *e, const struct problem *p, const struct test_case *t,
              void *const *values, const struct extent *extents)
{
    for (int i = 0; i < p->param_count; i++) {
        const struct example_value *v = example_find(e, p->param[i].name);

        if (p->param[i].dir == DIR_SCALAR &&
            (v == NULL || v->count != 1 || !number_is(&v->number[0], t->scalar[i])))
            return false;
        if (p->param[i].dir != DIR_IN && p->param[i].dir != DIR_INOUT)
            continue;
        if (v == NULL || values[i] == NULL || v->count != extents[i].count)
            return false;
        for (size_t k = 0; k < v->count; k++)
            if (!number_is(&v->number[k],
                           gen_load((uint8_t)p->param[i].type, values[i], k)))
                return false;
    }
    return true;
}

static void
add_expected(cJSON *sample, const struct problem *p, const struct example *e,
             const struct extent *extents)
{
    cJSON *outputs = cJSON_AddObjectToObject(sample, "outputs");

    for (int i = 0; i < p->param_count; i++) {
        const struct example_value *v = example_find(e, p->param[i].name);
        cJSON *list;

        if (p->param[i].dir != DIR_OUT || v == NULL || v->count != extents[i].count)
            continue;
        list = cJSON_AddArrayToObject(outputs, p->param[i].name);
        for (size_t k = 0; k < v->count; k++)
            cJSON_AddItemToArray(
                list, isfinite(v->number[k].value)
                          ? cJSON_CreateNumber(v->number[k].value)
                          : cJSON_CreateString(special_name(v->number[k].value)));
    }
}

static void
add_buffers(cJSON *sample, const struct problem *p, const struct test_case *t,
            void **values, struct extent *extents)
{
    cJSON *shapes = cJSON_AddObjectToObject(sample, "shapes");
    cJSON *inputs = cJSON_AddObjectToObject(sample, "inputs");

    for (int i = 0; i < p->param_count; i++) {
        const struct param *param = &p->param[i];
        struct report r = {0};
        cJSON *list;

        if (param->dir == DIR_SCALAR || problem_extent(p, t, i, &extents[i], &r) != 0)
            continue;
        list = cJSON_AddArrayToObject(shapes, param->name);
        for (int d = 0; d < extents[i].rank; d++)
            cJSON_AddItemToArray(list, cJSON_CreateNumber((double)extents[i].dim[d]));
        if (param->dir == DIR_OUT || extents[i].count > VALUES_SHOWN_MAX)
            continue;
        values[i] = fixed_values(p, t, i, &extents[i]);
        if (values[i] == NULL)
            continue;
        list = cJSON_AddArrayToObject(inputs, param->name);
        for (uint64_t k = 0; k < extents[i].count; k++)
            cJSON_AddItemToArray(
                list, element_json(param->type, (const char *)values[i] +
                                                    k * dtype_size(param->type)));
    }
}

static cJSON *
sample_json(const struct problem *p, int test, const struct examples *examples)
{
    const struct test_case *t = &p->test[test];
    struct extent extents[PROBLEM_PARAMS_MAX] = {0};
    void *values[PROBLEM_PARAMS_MAX] = {0};
    cJSON *o = cJSON_CreateObject(), *scalars;

    cJSON_AddNumberToObject(o, "test", test + 1);
    if (t->about != NULL)
        cJSON_AddStringToObject(o, "about", t->about);
    scalars = cJSON_AddObjectToObject(o, "scalars");
    for (int i = 0; i < p->param_count; i++)
        if (p->param[i].dir == DIR_SCALAR)
            cJSON_AddItemToObject(scalars, p->param[i].name,
                                  cJSON_CreateNumber(t->scalar[i]));
    add_buffers(o, p, t, values, extents);
    for (int i = 0; i < examples->count; i++)
        if (example_is_of(&examples->example[i], p, t, values, extents)) {
            add_expected(o, p, &examples->example[i], extents);
            break;
        }
    for (int i = 0; i < p->param_count; i++)
        free(values[i]);
    return o;
}

static void
add_samples(cJSON *o, const struct problem *p, const char *statement)
{
    cJSON *list = cJSON_AddArrayToObject(o, "samples");
    struct examples examples;

    examples_read(statement, &examples);
    for (int i = 0; i < p->test_count; i++)
        if (p->test[i].sample_test)
            cJSON_AddItemToArray(list, sample_json(p, i, &examples));
    examples_free(&examples);
}

static void
add_texts(cJSON *o, const char *key, const char *const *texts, int count)
{
    cJSON *list = cJSON_AddArrayToObject(o, key);

    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(texts[i]));
}

void
problem_json_add_words(cJSON *o, const struct problem *p)
{
    add_texts(o, "tags", p->tags, p->tag_count);
    add_texts(o, "teaches", p->teaches, p->teaches_count);
    add_texts(o, "after", p->after, p->after_count);
}

void
problem_json_add(cJSON *o, const struct problem *p, const struct devices *devices,
                 const char *statement)
{
    add_params(o, p);
    add_limits(o, p);
    add_devices(o, p, devices);
    add_samples(o, p, statement);
}

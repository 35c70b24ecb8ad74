#include "problem/own_case.h"

#include "base/base64.h"
#include "problem/values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const OWN_WORDS[] = {
#define X(name, text) text,
    OWN_VALUES(X)
#undef X
};

/* What a case is read into, and where something is wrong. */
struct own_reader {
    const struct problem *p;
    const char *device;
    struct own_case *c;
    char *field;
    struct report *r;
};

static void
own_at(struct own_reader *o, const char *member, const char *name)
{
    snprintf(o->field, OWN_CASE_FIELD_MAX, "/%s%s%.60s", member, name != NULL ? "/" : "",
             name != NULL ? name : "");
}

static bool
own_is_scalar(const struct param *p)
{
    return p->dir == DIR_SCALAR;
}

static bool
own_is_input(const struct param *p)
{
    return p->dir == DIR_IN || p->dir == DIR_INOUT;
}

/* Says that no parameter of this kind has the name. */
static int
own_fail_name(struct own_reader *o, const char *what, const char *name,
              bool (*is_one)(const struct param *))
{
    struct buf known = {0};

    for (int i = 0; i < o->p->param_count; i++)
        if (is_one(&o->p->param[i]))
            buf_printf(&known, "%s%s", known.len > 0 ? ", " : "", o->p->param[i].name);
    report_fail(o->r, "%s has no %s \"%.40s\": it has %s", o->p->slug, what, name,
                known.len > 0 ? buf_str(&known) : "none");
    buf_free(&known);
    return -1;
}

/* --- sizes ------------------------------------------------------------------ */

static bool
own_parse_integer(const char *text, enum dtype type, uint64_t *exact, double *value)
{
    const unsigned bits = (unsigned)dtype_size(type) * 8;
    const char *digits = text[0] == '-' ? text + 1 : text;
    char *end;

    if (digits[strspn(digits, "0123456789")] != '\0')
        return false;
    errno = 0;
    if (dtype_class(type) == CLASS_SIGNED) {
        const int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
        const int64_t v = strtoll(text, &end, 10);

        if (errno != 0 || end == text || v > most || v < -most - 1)
            return false;
        *exact = (uint64_t)v;
        *value = (double)v;
        return true;
    }
    *exact = strtoull(text, &end, 10);
    *value = (double)*exact;
    return errno == 0 && end != text && text[0] != '-' &&
           *exact <= UINT64_MAX >> (64 - bits);
}

static bool
own_parse_real(const char *text, enum dtype type, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) &&
           (type != DTYPE_F32 || isfinite((float)*value)) &&
           strspn(text, "+-.0123456789eE") == strlen(text);
}

/* The text of a size, which is a number or a text of digits. */
static int
own_size_text(struct own_reader *o, const cJSON *item, char *out, size_t size)
{
    if (cJSON_IsString(item) && strlen(item->valuestring) < size)
        snprintf(out, size, "%s", item->valuestring);
    else if (cJSON_IsNumber(item) && item->valuedouble == floor(item->valuedouble) &&
             fabs(item->valuedouble) <= 9007199254740992.0)
        snprintf(out, size, "%.0f", item->valuedouble);
    else if (cJSON_IsNumber(item))
        snprintf(out, size, "%.17g", item->valuedouble);
    else
        return report_fail(o->r, "the size %.40s is not a number", item->string);
    return 0;
}

static int
own_read_size(struct own_reader *o, const cJSON *item, int index)
{
    const struct param *q = &o->p->param[index];
    struct test_case *t = &o->c->test;
    const bool real = dtype_class(q->type) == CLASS_FLOAT;
    char text[64] = "";
    double value = 0;

    if (own_size_text(o, item, text, sizeof text) != 0)
        return -1;
    if (real ? !own_parse_real(text, q->type, &value)
             : !own_parse_integer(text, q->type, &t->exact[index], &value))
        return report_fail(o->r, "%s=%s: %s takes a %s number that fits %s", q->name,
                           text, q->name, real ? "finite" : "whole", dtype_name(q->type));
    if (value < q->min)
        return report_fail(o->r, "%s=%s is below the least %s that %s allows, %.17g",
                           q->name, text, q->name, o->p->slug, q->min);
    if (value > q->max)
        return report_fail(o->r, "%s=%s is above the largest %s that %s allows, %.17g",
                           q->name, text, q->name, o->p->slug, q->max);
    t->scalar[index] = value;
    return 0;
}

static int
own_read_sizes(struct own_reader *o, const cJSON *sizes)
{
    const cJSON *item;

    own_at(o, "sizes", NULL);
    if (!cJSON_IsObject(sizes))
        return report_fail(o->r, "the sizes are not an object, as in {\"N\": 100}");
    cJSON_ArrayForEach(item, sizes)
    {
        const int index = problem_param_index(o->p, item->string);

        if (index < 0 || !own_is_scalar(&o->p->param[index]))
            return own_fail_name(o, "size", item->string, own_is_scalar);
        own_at(o, "sizes", item->string);
        if (own_read_size(o, item, index) != 0)
            return -1;
    }
    return 0;
}

/* --- values ----------------------------------------------------------------- */

/* The type of array in which the values of a parameter are sent: those that numpy does
 * not have travel as their bits. */
static const char *
own_array_type(enum dtype type)
{
    switch (type) {
    case DTYPE_BF16:
        return dtype_name(DTYPE_U16);
    case DTYPE_E4M3:
    case DTYPE_E5M2:
    case DTYPE_E2M1X2:
        return dtype_name(DTYPE_U8);
    default:
        return dtype_name(type);
    }
}

static void
own_shape_text(const struct extent *e, struct buf *out)
{
    for (int k = 0; k < e->rank; k++)
        buf_printf(out, "%s%llu", k > 0 ? " x " : "", (unsigned long long)e->dim[k]);
}

/* Has the array the shape that the buffer has at these sizes? */
static int
own_check_shape(struct own_reader *o, const cJSON *shape, const char *name,
                const struct extent *e)
{
    struct buf given = {0}, want = {0};
    const cJSON *dim;
    int k = 0;
    bool same = cJSON_GetArraySize(shape) == e->rank;

    /* A number may take 300 digits, and so a long list is not printed. */
    if (cJSON_GetArraySize(shape) > PROBLEM_RANK_MAX)
        return report_fail(o->r, "the shape of %s has %d dimensions, and %s has %d", name,
                           cJSON_GetArraySize(shape), name, e->rank);
    cJSON_ArrayForEach(dim, shape)
    {
        if (!cJSON_IsNumber(dim)) {
            buf_free(&given);
            return report_fail(o->r, "the shape of %s is not a list of numbers", name);
        }
        same = same && dim->valuedouble == (double)e->dim[k];
        buf_printf(&given, "%s%.0f", k++ > 0 ? " x " : "", dim->valuedouble);
    }
    own_shape_text(e, &want);
    if (!same)
        report_fail(o->r, "the values of %s have the shape %.200s, and %s is %s here",
                    name, given.len > 0 ? buf_str(&given) : "of one number", name,
                    buf_str(&want));
    buf_free(&given);
    buf_free(&want);
    return same ? 0 : -1;
}

static int
own_read_array(struct own_reader *o, const cJSON *item, int index, const struct extent *e)
{
    const struct param *q = &o->p->param[index];
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(item, "type"),
                *shape = cJSON_GetObjectItemCaseSensitive(item, "shape"),
                *data = cJSON_GetObjectItemCaseSensitive(item, "data");
    struct buf *bytes = &o->c->data[index];

    if (cJSON_GetArraySize(item) != 3 || !cJSON_IsString(type) || !cJSON_IsArray(shape) ||
        !cJSON_IsString(data))
        return report_fail(o->r,
                           "the values of %s are not an object of type, shape and "
                           "data",
                           q->name);
    if (strcmp(type->valuestring, own_array_type(q->type)) != 0)
        return report_fail(
            o->r, "the values of %s are %.20s, and %s is %s%s%s", q->name,
            type->valuestring, q->name, dtype_name(q->type),
            strcmp(own_array_type(q->type), dtype_name(q->type)) != 0 ? ", sent as " : "",
            strcmp(own_array_type(q->type), dtype_name(q->type)) != 0
                ? own_array_type(q->type)
                : "");
    if (own_check_shape(o, shape, q->name, e) != 0)
        return -1;
    if (!base64_read(bytes, data->valuestring))
        return report_fail(o->r, "the data of %s are not base64", q->name);
    if (bytes->len != e->bytes)
        return report_fail(o->r, "the data of %s are %zu bytes, and %llu are needed",
                           q->name, bytes->len, (unsigned long long)e->bytes);
    o->c->values[index] = OWN_DATA;
    return 0;
}

static int
own_read_word(struct own_reader *o, const char *word, int index)
{
    for (size_t i = 0; i < sizeof OWN_WORDS / sizeof *OWN_WORDS; i++) {
        if (strcmp(word, OWN_WORDS[i]) != 0)
            continue;
        o->c->values[index] = (enum own_values)i;
        return 0;
    }
    return report_fail(o->r,
                       "\"%.40s\" are no values for %s: they are ones, zeros, ramp "
                       "or random, or those of an array",
                       word, o->p->param[index].name);
}

/* The value from which a ramp begins anew: the type holds all whole numbers below. */
static double
own_ramp_end(enum dtype type)
{
    switch (type) {
    case DTYPE_F32:
        return 16777216;
    case DTYPE_F16:
        return 2048;
    case DTYPE_BF16:
        return 256;
    case DTYPE_E4M3:
        return 16;
    case DTYPE_E5M2:
        return 8;
    case DTYPE_F64:
    case DTYPE_I64:
    case DTYPE_U64:
        return 9007199254740992.0;
    default:
        return ldexp(1, (int)dtype_size(type) * 8 - (dtype_class(type) == CLASS_SIGNED));
    }
}

static double
own_value(const struct own_case *c, const struct problem *p, int param, uint64_t i)
{
    switch (c->values[param]) {
    case OWN_ONES:
        return 1;
    case OWN_RAMP:
        return fmod((double)i, own_ramp_end(p->param[param].type));
    default:
        return 0;
    }
}

static int
own_check_promise(struct own_reader *o, int index, double value, uint64_t i, double lo,
                  double hi)
{
    if (value >= lo && value <= hi)
        return 0;
    return report_fail(
        o->r,
        "element %llu of %s is %.17g, and %s promises values from %.17g to "
        "%.17g",
        (unsigned long long)i, o->p->param[index].name, value, o->p->slug, lo, hi);
}

/* Whole numbers are indices as often as not, and references trust them. So they must be
 * in the range that the problem promises, where its spec says one. Of a ramp the first
 * and the largest element are looked at. */
static int
own_check_range(struct own_reader *o, int index, const struct extent *e)
{
    const struct param *q = &o->p->param[index];
    const double end = own_ramp_end(q->type);
    const uint64_t last = (double)e->count <= end ? e->count - 1 : (uint64_t)(end - 1);
    double lo, hi;

    if (!values_promised(o->p, &o->c->test, index, &lo, &hi))
        return 0;
    if (o->c->values[index] != OWN_DATA)
        return own_check_promise(o, index, own_value(o->c, o->p, index, 0), 0, lo, hi) !=
                       0
                   ? -1
                   : own_check_promise(o, index, own_value(o->c, o->p, index, last), last,
                                       lo, hi);
    for (uint64_t i = 0; i < e->count; i++) {
        const void *data = buf_str(&o->c->data[index]);

        if (own_check_promise(o, index, gen_load((uint8_t)q->type, data, i), i, lo, hi) !=
            0)
            return -1;
    }
    return 0;
}

static int
own_read_values(struct own_reader *o, const cJSON *values)
{
    const cJSON *item;
    size_t sent = 0;

    own_at(o, "values", NULL);
    if (!cJSON_IsObject(values))
        return report_fail(o->r, "the values are not an object, as in {\"A\": \"ones\"}");
    cJSON_ArrayForEach(item, values)
    {
        const int index = problem_param_index(o->p, item->string);
        struct extent e;

        if (index < 0 || !own_is_input(&o->p->param[index]))
            return own_fail_name(o, "input", item->string, own_is_input);
        own_at(o, "values", item->string);
        if (problem_extent(o->p, &o->c->test, index, &e, o->r) != 0)
            return -1;
        if (cJSON_IsString(item) ? own_read_word(o, item->valuestring, index) != 0
                                 : own_read_array(o, item, index, &e) != 0)
            return -1;
        sent += o->c->data[index].len;
        if (sent > OWN_CASE_DATA_MAX)
            return report_fail(o->r, "the values that are sent take more than %zu KiB",
                               OWN_CASE_DATA_MAX >> 10);
        if (o->c->values[index] != OWN_RANDOM && own_check_range(o, index, &e) != 0)
            return -1;
    }
    return 0;
}

/* --- the case --------------------------------------------------------------- */

/* How many bytes the buffers of a case may have. */
static uint64_t
own_buffers_max(const struct own_reader *o)
{
    const struct problem *p = o->p;
    const bool emu = strcmp(o->device, "emu") == 0;
    uint64_t most = problem_buffer_bytes(p, emu ? &p->benchmark_emu : &p->benchmark_cuda);

    for (int i = 0; i < p->test_count; i++) {
        const uint64_t bytes = problem_buffer_bytes(p, &p->test[i]);

        most = bytes > most ? bytes : most;
    }
    most = most > OWN_CASE_BUFFERS_MAX ? most : OWN_CASE_BUFFERS_MAX;
    return most < p->memory_limit ? most : p->memory_limit;
}

/* Are all shapes possible at these sizes, and the values that the spec draws, and is
 * there memory for all of them? */
static int
own_check_buffers(struct own_reader *o, uint64_t *in, uint64_t *out)
{
    uint64_t most;

    own_at(o, "sizes", NULL);
    *in = *out = 0;
    for (int i = 0; i < o->p->param_count; i++) {
        const struct param *q = &o->p->param[i];
        struct extent e;

        if (own_is_scalar(q))
            continue;
        if (problem_extent(o->p, &o->c->test, i, &e, o->r) != 0)
            return -1;
        *(q->dir == DIR_IN ? in : out) += e.bytes;
        if (own_is_input(q) && values_verify(o->p, &o->c->test, i, &e, o->r) != 0) {
            report_prefix(o->r, "%s cannot be drawn at these sizes", q->name);
            return -1;
        }
    }
    most = own_buffers_max(o);
    if (*in + *out > most)
        return report_fail(o->r,
                           "the buffers take %llu MiB, and those of a case of %s on %s "
                           "may take %llu MiB",
                           (unsigned long long)((*in + *out + 1048575) >> 20), o->p->slug,
                           o->device, (unsigned long long)(most >> 20));
    return 0;
}

static int
own_read_arrays(struct own_reader *o, const cJSON *arrays, uint64_t in, uint64_t out)
{
    const uint64_t bytes = in + 2 * out;

    own_at(o, "arrays", NULL);
    if (!cJSON_IsBool(arrays))
        return report_fail(o->r, "arrays is not true or false");
    o->c->arrays = cJSON_IsTrue(arrays);
    if (o->c->arrays && bytes > OWN_CASE_ARRAYS_MAX)
        return report_fail(o->r,
                           "the inputs, outputs and expected outputs take %.1f MiB, and "
                           "at most %zu MiB are handed over: choose smaller sizes",
                           (double)bytes / 1048576, OWN_CASE_ARRAYS_MAX >> 20);
    return 0;
}

static int
own_read_seed(struct own_reader *o, const cJSON *seed)
{
    own_at(o, "seed", NULL);
    if (!cJSON_IsNumber(seed) || !(seed->valuedouble >= 0) ||
        seed->valuedouble > (double)OWN_CASE_SEED_MAX ||
        seed->valuedouble != floor(seed->valuedouble))
        return report_fail(o->r, "the seed is not a whole number from 0 to 2^53");
    o->c->seed = (int64_t)seed->valuedouble;
    return 0;
}

/* Begins with the first sample test's sizes. */
static void
own_begin(struct own_reader *o)
{
    const struct test_case *sample = &o->p->test[0];

    for (int i = o->p->test_count - 1; i >= 0; i--)
        if (o->p->test[i].sample_test)
            sample = &o->p->test[i];
    o->c->test.sample_test = true;
    memcpy(o->c->test.scalar, sample->scalar, sizeof sample->scalar);
    memcpy(o->c->test.exact, sample->exact, sizeof sample->exact);
}

static int
own_read(struct own_reader *o, const cJSON *object)
{
    static const char *const KEYS[] = {"sizes", "values", "seed", "arrays"};
    const cJSON *member[4], *item;
    uint64_t in, out;

    own_begin(o);
    o->field[0] = '\0';
    for (size_t i = 0; i < 4; i++)
        member[i] = cJSON_GetObjectItemCaseSensitive(object, KEYS[i]);
    if (!cJSON_IsObject(object))
        return report_fail(o->r, "the case is not an object");
    cJSON_ArrayForEach(
        item,
        object) if (item != member[0] && item != member[1] && item != member[2] &&
                    item !=
                        member[3]) return report_fail(o->r,
                                                      "\"%.40s\" is not a field of a "
                                                      "case, or is there twice (they "
                                                      "are sizes, values, seed, arrays)",
                                                      item->string);
    if ((member[0] != NULL && own_read_sizes(o, member[0]) != 0) ||
        own_check_buffers(o, &in, &out) != 0 ||
        (member[1] != NULL && own_read_values(o, member[1]) != 0) ||
        (member[2] != NULL && own_read_seed(o, member[2]) != 0))
        return -1;
    return member[3] != NULL ? own_read_arrays(o, member[3], in, out) : 0;
}

int
own_case_read(const cJSON *object, const struct problem *p, const char *device,
              struct own_case *out, char field[OWN_CASE_FIELD_MAX], struct report *r)
{
    struct own_case c = {0};
    struct own_reader o = {.p = p, .device = device, .c = &c, .field = field, .r = r};

    if (own_read(&o, object) != 0) {
        own_case_free(&c);
        return -1;
    }
    *out = c;
    return 0;
}

void
own_case_free(struct own_case *c)
{
    for (int i = 0; i < PROBLEM_PARAMS_MAX; i++)
        buf_free(&c->data[i]);
}

void
own_case_make(const struct own_case *c, const struct problem *p, int param,
              const struct extent *extent, void *dst)
{
    if (c->values[param] == OWN_DATA) {
        memcpy(dst, c->data[param].data, extent->bytes);
        return;
    }
    for (uint64_t i = 0; i < extent->count; i++)
        gen_put((uint8_t)p->param[param].type, own_value(c, p, param, i), dst, i);
}

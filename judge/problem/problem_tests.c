/* "tests", "benchmark" and "work" of a problem.json: the sizes and values of each test,
 * and how much work a call is. */
#include "problem/spec.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The range of whole numbers that a scalar of this type can pass exactly. */
static void
type_bounds(enum dtype type, double *lo, double *hi)
{
    const int bits = (int)dtype_size(type) * 8;
    const bool is_signed = dtype_class(type) == CLASS_SIGNED;
    const double top = fmin(ldexp(1, is_signed ? bits - 1 : bits) - 1, ldexp(1, 53));

    *lo = is_signed ? fmax(-ldexp(1, bits - 1), -ldexp(1, 53)) : 0;
    *hi = top;
}

/* A text such as "0xFFFFFFFFFFFFFFFF" or "-9223372036854775808", for integers that no
 * JSON number holds. */
static int
read_wide(struct spec *s, const struct at *at, const cJSON *item, enum dtype type,
          uint64_t *out)
{
    const char *text = item->valuestring;
    const bool is_signed = dtype_class(type) == CLASS_SIGNED;
    char *end = NULL;

    errno = 0;
    if (isdigit((unsigned char)text[text[0] == '-']))
        *out = is_signed ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    if (end != NULL && *end == '\0' && errno == 0 && (is_signed || text[0] != '-'))
        return 0;
    spec_error(s, at, "\"%.40s\" is no whole number that fits %s", text,
               dtype_name(type));
    return -1;
}

/* An integer: a JSON number up to 2^53, or a text where the type has 64 bits. */
static int
read_integer(struct spec *s, const struct at *at, const cJSON *item, enum dtype type,
             uint64_t *exact, double *value)
{
    double lo, hi;

    if (cJSON_IsString(item) && dtype_size(type) == 8) {
        if (read_wide(s, at, item, type, exact) != 0)
            return -1;
        *value =
            dtype_class(type) == CLASS_SIGNED ? (double)(int64_t)*exact : (double)*exact;
        return 0;
    }
    type_bounds(type, &lo, &hi);
    if (spec_whole(s, at, item, lo, hi, value) != 0)
        return -1;
    *exact = (uint64_t)(int64_t)*value;
    return 0;
}

static void
read_scalar(struct spec *s, const struct at *up, const cJSON *object, int index,
            struct test_case *t)
{
    const struct param *param = &s->problem->param[index];
    struct at at = {.up = up, .key = param->name};
    const cJSON *item = spec_member(s, up, object, param->name, true);
    double value = 0;
    int rc;

    if (item == NULL)
        return;
    if (dtype_class(param->type) == CLASS_FLOAT) {
        rc = spec_number(s, &at, item, &value);
        if (rc == 0 && param->type == DTYPE_F32 && !isfinite((float)value)) {
            spec_error(s, &at, "%.9g does not fit float32", value);
            rc = -1;
        }
    } else {
        rc = read_integer(s, &at, item, param->type, &t->exact[index], &value);
    }
    if (rc != 0)
        return;
    t->scalar[index] = value;
}

/* "inputs": the text that inputs.c is given in this test. The problem keeps each text
 * once. */
static void
read_variant(struct spec *s, const struct at *up, const cJSON *object,
             struct test_case *t)
{
    struct problem *p = s->problem;
    struct at at = {.up = up, .key = "inputs"};
    const cJSON *item = spec_member(s, up, object, "inputs", false);
    const char *text;

    if (item == NULL || spec_string(s, &at, item, &text) != 0)
        return;
    for (t->variant = 0; t->variant < p->variant_count; t->variant++) {
        if (strcmp(p->variant[t->variant], text) == 0)
            return;
    }
    p->variant[p->variant_count++] = text;
}

static void
read_test_values(struct spec *s, const struct at *up, const cJSON *object,
                 struct test_case *t)
{
    struct at at = {.up = up, .key = "values"};

    if (!cJSON_IsObject(object)) {
        spec_error(s, &at, "must be an object: {\"INPUT\": values}");
        return;
    }
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        struct at here = {.up = &at, .key = item->string};
        int index = problem_param_index(s->problem, item->string);

        if (index < 0 || (s->problem->param[index].dir != DIR_IN &&
                          s->problem->param[index].dir != DIR_INOUT))
            spec_error(s, &here, "there is no input buffer \"%.80s\"", item->string);
        else if (t->values[index] != NULL)
            spec_error(s, &at, "the key \"%s\" is there twice", item->string);
        else
            t->values[index] = values_read(s, &here, item, index);
    }
}

/* One object of "tests", or a benchmark, which is never a sample test. */
static void
read_test(struct spec *s, const struct at *at, const cJSON *object, bool benchmark,
          struct test_case *t)
{
    const char *keys[PROBLEM_PARAMS_MAX + 6];
    struct at about_at = {.up = at, .key = "about"},
              sample_at = {.up = at, .key = "sample"},
              beyond_at = {.up = at, .key = "beyond"},
              inputs_at = {.up = at, .key = "inputs"};
    const cJSON *item;
    int count = 0;

    for (int i = 0; i < s->name_count; i++)
        keys[count++] = s->names[i].name;
    keys[count++] = "about";
    keys[count++] = "values";
    keys[count++] = "inputs";
    if (!benchmark) {
        keys[count++] = "sample";
        keys[count++] = "beyond";
    }
    keys[count] = NULL;
    spec_object(s, at, object, keys);
    if (!cJSON_IsObject(object))
        return;
    for (int i = 0; i < s->name_count; i++)
        read_scalar(s, at, object, s->names[i].index, t);
    if ((item = spec_member(s, at, object, "about", false)) != NULL)
        spec_string(s, &about_at, item, &t->about);
    if (!benchmark && (item = spec_member(s, at, object, "sample", false)) != NULL)
        spec_bool(s, &sample_at, item, &t->sample_test);
    if (!benchmark && (item = spec_member(s, at, object, "beyond", false)) != NULL)
        spec_bool(s, &beyond_at, item, &t->beyond);
    if (t->beyond && t->sample_test)
        spec_error(s, &beyond_at, "a sample test decides the verdict, as others do");
    if ((item = spec_member(s, at, object, "values", false)) != NULL)
        read_test_values(s, at, item, t);
    read_variant(s, at, object, t);
    if (t->variant != 0 && !problem_uses_inputs_c(s->problem, t))
        spec_error(s, &inputs_at, "no input of this test has the values \"inputs.c\"");
}

static void
tests_read_list(struct spec *s, const cJSON *root)
{
    struct problem *p = s->problem;
    struct at at = {.key = "tests"};
    const cJSON *tests = spec_member(s, NULL, root, "tests", true);

    if (tests == NULL || spec_array(s, &at, tests, 1, PROBLEM_TESTS_MAX) != 0)
        return;
    p->test_count = cJSON_GetArraySize(tests);
    p->test = arena_alloc(s->arena, (size_t)p->test_count * sizeof *p->test);
    tests = tests->child;
    for (int i = 0; i < p->test_count; i++, tests = tests->next) {
        struct at here = {.up = &at, .index = i};

        read_test(s, &here, tests, false, &p->test[i]);
    }
}

static void
tests_read_benchmark(struct spec *s, const cJSON *root)
{
    static const char *const KEYS[] = {"cuda", "emu", NULL};
    struct at at = {.key = "benchmark"};
    struct at cuda_at = {.up = &at, .key = "cuda"}, emu_at = {.up = &at, .key = "emu"};
    const cJSON *benchmark = spec_member(s, NULL, root, "benchmark", true);
    const cJSON *cuda, *emu;

    if (benchmark == NULL || spec_object(s, &at, benchmark, KEYS) != 0)
        return;
    cuda = spec_member(s, &at, benchmark, "cuda", true);
    emu = spec_member(s, &at, benchmark, "emu", true);
    if (cuda != NULL)
        read_test(s, &cuda_at, cuda, true, &s->problem->benchmark_cuda);
    if (emu != NULL)
        read_test(s, &emu_at, emu, true, &s->problem->benchmark_emu);
}

static void
read_unit(struct spec *s, const struct at *up, const cJSON *object)
{
    static const char *const UNITS[] = {"fp64", "fp32", "tf32",  "fp16", "bf16",
                                        "fp8",  "fp4",  "int32", "int8", "int4"};
    struct at at = {.up = up, .key = "unit"};
    const cJSON *item = spec_member(s, up, object, "unit", true);
    const char *text;

    if (item == NULL || spec_string(s, &at, item, &text) != 0)
        return;
    for (size_t u = 0; u < sizeof UNITS / sizeof UNITS[0]; u++) {
        if (strcmp(text, UNITS[u]) == 0) {
            s->problem->work_unit = UNITS[u];
            return;
        }
    }
    spec_error(
        s, &at,
        "must be one of fp64, fp32, tf32, fp16, bf16, fp8, fp4, int32, int8, int4, "
        "not \"%.40s\"",
        text);
}

static void
tests_read_work(struct spec *s, const cJSON *root)
{
    static const char *const KEYS[] = {"bytes", "flops", "unit", NULL};
    struct at at = {.key = "work"};
    struct at bytes_at = {.up = &at, .key = "bytes"},
              flops_at = {.up = &at, .key = "flops"};
    const cJSON *work = spec_member(s, NULL, root, "work", false), *item;

    if (work == NULL || spec_object(s, &at, work, KEYS) != 0)
        return;
    if ((item = spec_member(s, &at, work, "bytes", false)) != NULL)
        s->problem->work_bytes = spec_expr(s, &bytes_at, item, EXPR_REAL);
    if ((item = spec_member(s, &at, work, "flops", false)) != NULL) {
        s->problem->work_flops = spec_expr(s, &flops_at, item, EXPR_REAL);
        read_unit(s, &at, work);
    }
}

void
tests_read(struct spec *s, const cJSON *root)
{
    tests_read_list(s, root);
    tests_read_benchmark(s, root);
    tests_read_work(s, root);
}

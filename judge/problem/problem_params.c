/*
 * Reads the parameters of a spec. The names, types and directions of all come first; then
 * the shapes and values, which are written in terms of them, and how outputs are
 * compared.
 */
#include "base/buf.h"
#include "problem/spec.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_LENGTH_MAX 63

/* --- 2: names, types, directions ---------------------------------------------------- */

/* Words that cannot name a parameter of a C++ function. */
static const char *const RESERVED[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool",
    "break", "case", "catch", "char", "class", "compl", "const", "const_cast",
    "constexpr", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float",
    "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new",
    "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
    "protected", "public", "register", "reinterpret_cast", "restrict", "return", "short",
    "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch",
    "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
    "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
    "while", "xor", "xor_eq",
    /* CUDA's built-in variables, and the function's own name */
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "solve", NULL};

/* Words that cannot name a scalar. They are functions of expressions, or keys that stand
 * beside the scalars in a test. */
static const char *const SCALAR_RESERVED[] = {
    "min", "max", "ceil_div", "sqrt", "about", "sample", "values", "inputs", NULL};

static bool
is_listed(const char *name, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (strcmp(name, *list) == 0)
            return true;
    }
    return false;
}

static int
check_name(struct spec *s, const struct at *at, const char *name)
{
    const char *c = name;

    if (isalpha((unsigned char)*c) || *c == '_')
        while (isalnum((unsigned char)*c) || *c == '_')
            c++;
    if (*c != '\0' || c - name > NAME_LENGTH_MAX || strncmp(name, "__", 2) == 0)
        spec_error(s, at, "\"%.80s\" cannot be the name of a C parameter", name);
    else if (problem_param_index(s->problem, name) >= 0)
        spec_error(s, at, "another parameter is called \"%s\" already", name);
    else if (is_listed(name, RESERVED))
        spec_error(s, at, "\"%s\" is a reserved word", name);
    else
        return 0;
    return -1;
}

/* Checks what holds for scalars only. */
static void
check_scalar(struct spec *s, const struct at *at, const struct param *param)
{
    struct at name_at = {.up = at, .key = "name"}, type_at = {.up = at, .key = "type"};

    if (dtype_class(param->type) == CLASS_FLOAT ? dtype_size(param->type) < 4
                                                : param->type == DTYPE_E2M1X2)
        spec_error(s, &type_at, "a scalar cannot be %s", dtype_name(param->type));
    if (is_listed(param->name, SCALAR_RESERVED))
        spec_error(s, &name_at,
                   "\"%s\" means something else in a spec: a scalar needs "
                   "another name",
                   param->name);
}

static void
read_type(struct spec *s, const struct at *up, const cJSON *item, struct param *param)
{
    struct at at = {.up = up, .key = "type"};
    struct buf list = {0};
    const char *name;

    if (spec_string(s, &at, item, &name) != 0 || dtype_parse(name, &param->type) == 0)
        return;
    for (unsigned t = 0; t < DTYPE_COUNT; t++)
        buf_printf(&list, "%s%s", t == 0 ? "" : ", ", dtype_name((enum dtype)t));
    spec_error(s, &at, "unknown type \"%.40s\"; known are %s", name, buf_str(&list));
    buf_free(&list);
}

/* -1 where the error has been reported. */
static int
read_dir(struct spec *s, const struct at *up, const cJSON *item, struct param *param)
{
    static const char *const NAMES[] = {[DIR_SCALAR] = "scalar",
                                        [DIR_IN] = "in",
                                        [DIR_OUT] = "out",
                                        [DIR_INOUT] = "inout"};
    struct at at = {.up = up, .key = "dir"};
    const char *name;

    if (spec_string(s, &at, item, &name) != 0)
        return -1;
    for (unsigned d = 0; d < sizeof NAMES / sizeof NAMES[0]; d++) {
        if (strcmp(name, NAMES[d]) == 0) {
            param->dir = (enum param_dir)d;
            return 0;
        }
    }
    spec_error(s, &at, "must be \"in\", \"out\", \"inout\" or \"scalar\", not \"%.40s\"",
               name);
    return -1;
}

/* The keys that a direction allows. Others are refused, because a key that would be
 * ignored is a mistake of the author's. */
static const char *const *
param_keys(enum param_dir dir)
{
    static const char *const SCALAR[] = {"name", "type", "dir", "about",
                                         "min",  "max",  NULL};
    static const char *const IN[] = {"name",   "type",  "dir",    "about", "shape",
                                     "values", "space", "device", NULL};
    static const char *const OUT[] = {"name",  "type",    "dir",   "about",  "shape",
                                      "start", "compare", "space", "device", NULL};
    static const char *const INOUT[] = {"name",   "type",    "dir",   "about",  "shape",
                                        "values", "compare", "space", "device", NULL};
    static const char *const *const KEYS[] = {
        [DIR_SCALAR] = SCALAR, [DIR_IN] = IN, [DIR_OUT] = OUT, [DIR_INOUT] = INOUT};

    return KEYS[dir];
}

static void
read_param_head(struct spec *s, const struct at *at, const cJSON *object, int index)
{
    struct param *param = &s->problem->param[index];
    struct at name_at = {.up = at, .key = "name"}, about_at = {.up = at, .key = "about"};
    const cJSON *name, *type, *dir, *about;
    const char *text;

    param->name = param->about = "";
    if (!cJSON_IsObject(object)) {
        spec_error(s, at, "must be an object");
        return;
    }
    name = spec_member(s, at, object, "name", true);
    type = spec_member(s, at, object, "type", true);
    dir = spec_member(s, at, object, "dir", true);
    about = spec_member(s, at, object, "about", false);
    if (name != NULL && spec_string(s, &name_at, name, &text) == 0 &&
        check_name(s, &name_at, text) == 0)
        param->name = text;
    if (type != NULL)
        read_type(s, at, type, param);
    if (about != NULL)
        spec_string(s, &about_at, about, &param->about);
    if (dir == NULL || read_dir(s, at, dir, param) != 0)
        return; /* without a direction its allowed keys are not known */
    spec_object(s, at, object, param_keys(param->dir));
    if (param->dir == DIR_SCALAR)
        check_scalar(s, at, param);
}

static void
read_param_heads(struct spec *s, const cJSON *params, const struct at *at)
{
    struct problem *p = s->problem;
    const cJSON *item = params->child;
    const int before = s->errors;
    bool output = false;

    for (int i = 0; item != NULL; i++, item = item->next) {
        struct at here = {.up = at, .index = i};

        p->param_count = i + 1;
        read_param_head(s, &here, item, i);
        if (p->param[i].dir == DIR_SCALAR)
            s->names[s->name_count++] =
                (struct expr_name){.name = p->param[i].name,
                                   .index = i,
                                   .whole = dtype_class(p->param[i].type) != CLASS_FLOAT};
        else if (p->param[i].dir != DIR_IN)
            output = true;
    }
    if (!output && s->errors == before)
        spec_error(s, at, "there is no parameter with \"dir\": \"out\" or \"inout\"");
}

/* --- 3: shapes, values, tolerances -------------------------------------------------- */

static void
read_bounds(struct spec *s, const struct at *at, const cJSON *object, struct param *param)
{
    struct at min_at = {.up = at, .key = "min"}, max_at = {.up = at, .key = "max"};
    const cJSON *min = spec_member(s, at, object, "min", false);
    const cJSON *max = spec_member(s, at, object, "max", false);
    int before = s->errors;

    param->min = -INFINITY;
    param->max = INFINITY;
    if (min != NULL)
        spec_number(s, &min_at, min, &param->min);
    if (max != NULL)
        spec_number(s, &max_at, max, &param->max);
    if (s->errors == before && param->min > param->max)
        spec_error(s, &max_at, "%.17g is below the minimum %.17g", param->max,
                   param->min);
}

/* What the spec says of one dimension, as people read it. */
static const char *
shape_text(struct spec *s, const cJSON *item)
{
    char number[32];

    if (cJSON_IsString(item))
        return arena_strdup(s->arena, item->valuestring);
    snprintf(number, sizeof number, "%.15g", item->valuedouble);
    return arena_strdup(s->arena, number);
}

static void
read_shape(struct spec *s, const struct at *up, const cJSON *object, struct param *param)
{
    struct at at = {.up = up, .key = "shape"};
    const cJSON *shape = spec_member(s, up, object, "shape", true);

    if (shape == NULL || spec_array(s, &at, shape, 1, PROBLEM_RANK_MAX) != 0)
        return;
    param->rank = cJSON_GetArraySize(shape);
    shape = shape->child;
    for (int d = 0; d < param->rank; d++, shape = shape->next) {
        struct at here = {.up = &at, .index = d};

        param->shape[d] = spec_expr(s, &here, shape, EXPR_WHOLE);
        param->shape_text[d] = shape_text(s, shape);
    }
}

static void
read_start(struct spec *s, const struct at *up, const cJSON *object, struct param *param)
{
    struct at at = {.up = up, .key = "start"};
    const cJSON *item = spec_member(s, up, object, "start", false);
    const char *text;

    if (item == NULL || spec_string(s, &at, item, &text) != 0)
        return;
    if (strcmp(text, "zeros") == 0)
        param->start = START_ZEROS;
    else if (strcmp(text, "poison") != 0)
        spec_error(s, &at, "must be \"poison\" or \"zeros\", not \"%.40s\"", text);
}

/* Reads "space" and "device", which say where the buffer is. */
static void
read_space(struct spec *s, const struct at *up, const cJSON *object, struct param *param)
{
    struct at space_at = {.up = up, .key = "space"}, gpu_at = {.up = up, .key = "device"};
    const cJSON *space = spec_member(s, up, object, "space", false);
    const cJSON *gpu = spec_member(s, up, object, "device", false);
    const char *text;
    double number = 0;

    if (space != NULL && spec_string(s, &space_at, space, &text) == 0) {
        if (strcmp(text, "host_pinned") == 0)
            param->space = SPACE_HOST_PINNED;
        else if (strcmp(text, "device") != 0)
            spec_error(s, &space_at,
                       "must be \"device\" or \"host_pinned\", not \"%.40s\"", text);
    }
    if (gpu == NULL || spec_whole(s, &gpu_at, gpu, 0, s->problem->gpus - 1, &number) != 0)
        return;
    param->gpu = (int)number;
    if (param->space == SPACE_HOST_PINNED)
        spec_error(s, &gpu_at, "a buffer in host memory is on no GPU");
}

static void
read_error_bound(struct spec *s, const struct at *up, const cJSON *object,
                 const char *key, double *out)
{
    struct at at = {.up = up, .key = key};
    const cJSON *item = spec_member(s, up, object, key, true);

    if (item != NULL && spec_number(s, &at, item, out) == 0 && !(*out >= 0))
        spec_error(s, &at, "must not be negative, but is %.9g", *out);
}

/* Reads the figures of a rule, which follow its mode. */
static void
read_bounds_of(struct spec *s, const struct at *at, const cJSON *object,
               struct tolerance *out)
{
    struct at share_at = {.up = at, .key = "may_differ"};
    const cJSON *share = spec_member(s, at, object, "may_differ", false);

    if (out->mode == COMPARE_CLOSE) {
        read_error_bound(s, at, object, "atol", &out->atol);
        read_error_bound(s, at, object, "rtol", &out->rtol);
    } else if (out->mode == COMPARE_ULP) {
        read_error_bound(s, at, object, "ulp", &out->ulp);
    }
    if (share != NULL && spec_number(s, &share_at, share, &out->may_differ) == 0 &&
        !(out->may_differ >= 0 && out->may_differ < 1))
        spec_error(s, &share_at, "must be from 0 to below 1, but is %.9g",
                   out->may_differ);
}

static const struct mode {
    const char *name;
    enum compare_mode mode;
    const char *keys[6]; /* the benchmark has those after "mode" and "benchmark", too */
} MODES[] = {
    {"close", COMPARE_CLOSE, {"mode", "benchmark", "atol", "rtol", "may_differ"}},
    {"exact", COMPARE_EXACT, {"mode", "benchmark", "may_differ"}},
    {"ulp", COMPARE_ULP, {"mode", "benchmark", "ulp", "may_differ"}},
    {"unordered", COMPARE_UNORDERED, {"mode"}},
    {"checker", COMPARE_CHECKER, {"mode"}},
};

/* NULL where the error has been reported. */
static const struct mode *
read_mode(struct spec *s, const struct at *up, const cJSON *object)
{
    struct at at = {.up = up, .key = "mode"};
    const cJSON *item = spec_member(s, up, object, "mode", true);
    const char *text;

    if (item == NULL || spec_string(s, &at, item, &text) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof MODES / sizeof MODES[0]; i++) {
        if (strcmp(text, MODES[i].name) == 0)
            return &MODES[i];
    }
    spec_error(s, &at,
               "must be \"close\", \"exact\", \"ulp\", \"unordered\" or \"checker\", not "
               "\"%.40s\"",
               text);
    return NULL;
}

/* Reads a rule such as {"mode": "close", "atol", "rtol", ["benchmark": {"atol",
 * "rtol"}]}. */
static void
read_compare(struct spec *s, const struct at *up, const cJSON *object,
             struct tolerance *tests, struct tolerance *benchmark)
{
    struct at at = {.up = up, .key = "compare"};
    struct at benchmark_at = {.up = &at, .key = "benchmark"};
    const cJSON *item = spec_member(s, up, object, "compare", false);
    const struct mode *mode;

    if (item == NULL)
        return;
    if (!cJSON_IsObject(item)) {
        spec_object(s, &at, item, MODES[0].keys);
        return;
    }
    mode = read_mode(s, &at, item);
    if (mode == NULL)
        return;
    spec_object(s, &at, item, mode->keys);
    tests->mode = mode->mode;
    read_bounds_of(s, &at, item, tests);
    *benchmark = *tests;
    item = spec_member(s, &at, item, "benchmark", false);
    if (item != NULL && mode->keys[1] != NULL &&
        spec_object(s, &benchmark_at, item, mode->keys + 2) == 0)
        read_bounds_of(s, &benchmark_at, item, benchmark);
}

static void
read_param_body(struct spec *s, const struct at *at, const cJSON *object, int index)
{
    struct param *param = &s->problem->param[index];

    if (param->dir == DIR_SCALAR) {
        read_bounds(s, at, object, param);
        return;
    }
    read_shape(s, at, object, param);
    read_space(s, at, object, param);
    if (param->dir == DIR_OUT)
        read_start(s, at, object, param);
    if (param->dir != DIR_IN) {
        param->has_tolerance =
            cJSON_GetObjectItemCaseSensitive(object, "compare") != NULL;
        read_compare(s, at, object, &param->tolerance, &param->benchmark_tolerance);
    }
}

/* Reads the values of an input. All shapes have been read, because the values of one
 * input may be those of a later one. */
static void
read_param_values(struct spec *s, const struct at *up, const cJSON *object, int index)
{
    struct param *param = &s->problem->param[index];
    struct at at = {.up = up, .key = "values"};
    const cJSON *item;

    if (param->dir != DIR_IN && param->dir != DIR_INOUT)
        return;
    item = spec_member(s, up, object, "values", true);
    if (item != NULL)
        param->values = values_read(s, &at, item, index);
}

void
params_read(struct spec *s, const cJSON *root)
{
    struct at at = {.key = "params"};
    const cJSON *params = spec_member(s, NULL, root, "params", true), *item;
    int before = s->errors;

    if (params == NULL || spec_array(s, &at, params, 1, PROBLEM_PARAMS_MAX) != 0)
        return;
    read_param_heads(s, params, &at);
    if (s->errors != before)
        return;
    item = params->child;
    for (int i = 0; i < s->problem->param_count; i++, item = item->next) {
        struct at here = {.up = &at, .index = i};

        read_param_body(s, &here, item, i);
    }
    item = params->child;
    for (int i = 0; i < s->problem->param_count; i++, item = item->next) {
        struct at here = {.up = &at, .index = i};

        read_param_values(s, &here, item, i);
    }
}

/* Reports an output that has neither a rule of its own nor one of the problem's. */
void
tolerances_read(struct spec *s, const cJSON *root)
{
    struct problem *p = s->problem;
    bool needed = false;

    for (int i = 0; i < p->param_count; i++) {
        const struct param *param = &p->param[i];

        if (param->dir == DIR_OUT || param->dir == DIR_INOUT)
            needed = needed || !param->has_tolerance;
    }
    if (needed)
        spec_member(s, NULL, root, "compare", true);
    read_compare(s, NULL, root, &p->tolerance, &p->benchmark_tolerance);
}

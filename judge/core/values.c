#include "core/values.h"

#include "core/expr.h"
#include "core/spec.h"

#include <math.h>
#include <string.h>

enum value_kind {
    VALUES_CONSTANT,
    VALUES_UNIFORM,
    VALUES_INTEGERS,
    VALUES_NORMAL,
    VALUES_RAMP,
    VALUES_LIST,
    VALUES_CYCLE,
    VALUES_IDENTITY,
    VALUES_MOSTLY,
    VALUES_OTHER, /* of another parameter */
};

struct value_spec {
    enum value_kind kind;
    const struct expr *a, *b; /* in the order they are written; MOSTLY: a is the value */
    double share;             /* MOSTLY */
    const struct value_spec *rest; /* MOSTLY: UNIFORM or INTEGERS */
    int count;
    const double *list;
    int other; /* OTHER: index of the parameter */
    bool negate;
};

/* The largest finite magnitudes of the floating types. */
#define F16_MAX 65504.0
#define BF16_MAX 3.3895313892515355e38
#define F32_MAX 3.4028234663852886e38
#define F64_MAX 1.7976931348623157e308
#define NORMAL_REACH 7.0 /* deviations; gen_normal reaches 6.77 */

struct range {
    double lo, hi;
};

static const struct range TYPE_RANGE[DTYPE_COUNT] = {
    [DTYPE_F32] = {-F32_MAX, F32_MAX},
    [DTYPE_F64] = {-F64_MAX, F64_MAX},
    [DTYPE_F16] = {-F16_MAX, F16_MAX},
    [DTYPE_BF16] = {-BF16_MAX, BF16_MAX},
    [DTYPE_I8] = {-128, 127},
    [DTYPE_U8] = {0, 255},
    [DTYPE_I16] = {-32768, 32767},
    [DTYPE_U16] = {0, 65535},
    [DTYPE_I32] = {-2147483648.0, 2147483647.0},
    [DTYPE_U32] = {0, 4294967295.0},
    /* A generator computes in doubles: whole numbers up to 2^53. */
    [DTYPE_I64] = {-9007199254740992.0, 9007199254740992.0},
    [DTYPE_U64] = {0, 9007199254740992.0},
};

/* --- reading ------------------------------------------------------------------------ */

static struct value_spec *
new_spec(struct spec *s, enum value_kind kind)
{
    struct value_spec *v = arena_alloc(s->arena, sizeof *v);

    v->kind = kind;
    return v;
}

/* [a, b] */
static const struct value_spec *
read_pair(struct spec *s, const struct at *at, const cJSON *item, enum value_kind kind)
{
    struct value_spec *v = new_spec(s, kind);
    struct at first = {.up = at, .index = 0}, second = {.up = at, .index = 1};

    if (spec_array(s, at, item, 2, 2) != 0)
        return NULL;
    v->a = spec_expr(s, &first, item->child, EXPR_REAL);
    v->b = spec_expr(s, &second, item->child->next, EXPR_REAL);
    return v->a != NULL && v->b != NULL ? v : NULL;
}

static const struct value_spec *
read_list(struct spec *s, const struct at *at, const cJSON *item, enum value_kind kind)
{
    struct value_spec *v = new_spec(s, kind);
    double *list;
    int before = s->errors;

    if (spec_array(s, at, item, 1, GEN_LIST_MAX) != 0)
        return NULL;
    v->count = cJSON_GetArraySize(item);
    list = arena_alloc(s->arena, (size_t)v->count * sizeof *list);
    v->list = list;
    item = item->child;
    for (int i = 0; i < v->count; i++, item = item->next) {
        struct at here = {.up = at, .index = i};

        spec_number(s, &here, item, &list[i]);
    }
    return s->errors == before ? v : NULL;
}

static const struct value_spec *
read_other(struct spec *s, const struct at *at, const cJSON *item, int param, bool negate)
{
    struct value_spec *v = new_spec(s, VALUES_OTHER);
    const struct problem *p = s->problem;
    const char *name;

    if (spec_string(s, at, item, &name) != 0)
        return NULL;
    v->negate = negate;
    v->other = problem_param_index(p, name);
    if (v->other < 0 || p->param[v->other].dir == DIR_SCALAR ||
        p->param[v->other].dir == DIR_OUT) {
        spec_error(s, at, "there is no input buffer \"%.80s\"", name);
        return NULL;
    }
    if (p->param[v->other].type != p->param[param].type) {
        spec_error(s, at, "%s is %s, but %s is %s: only the same type can be repeated",
                   p->param[v->other].name, dtype_name(p->param[v->other].type),
                   p->param[param].name, dtype_name(p->param[param].type));
        return NULL;
    }
    return v;
}

static const struct value_spec *
read_mostly(struct spec *s, const struct at *at, const cJSON *object, int param)
{
    static const char *const KEYS[] = {"value", "share", "rest", NULL};
    struct value_spec *v = new_spec(s, VALUES_MOSTLY);
    struct at value_at = {.up = at, .key = "value"},
              share_at = {.up = at, .key = "share"};
    struct at rest_at = {.up = at, .key = "rest"};
    const cJSON *value, *share, *rest;

    if (spec_object(s, at, object, KEYS) != 0)
        return NULL;
    value = spec_member(s, at, object, "value", true);
    share = spec_member(s, at, object, "share", true);
    rest = spec_member(s, at, object, "rest", true);
    if (value == NULL || share == NULL || rest == NULL)
        return NULL;
    v->a = spec_expr(s, &value_at, value, EXPR_REAL);
    if (v->a == NULL || spec_number(s, &share_at, share, &v->share) != 0)
        return NULL;
    if (!(v->share >= 0 && v->share <= 1)) {
        spec_error(s, &share_at, "must be from 0 to 1, but is %.17g", v->share);
        return NULL;
    }
    v->rest = values_read(s, &rest_at, rest, param);
    if (v->rest == NULL)
        return NULL;
    if (v->rest->kind != VALUES_UNIFORM && v->rest->kind != VALUES_INTEGERS) {
        spec_error(s, &rest_at, "must be {\"uniform\": ...} or {\"integers\": ...}");
        return NULL;
    }
    return v;
}

static const struct value_spec *
read_keyed(struct spec *s, const struct at *at, const cJSON *item, int param)
{
    static const char *const KEYS[] = {"constant", "uniform", "integers", "normal",
                                       "ramp",     "list",    "cycle",    "same",
                                       "negate",   "mostly",  NULL};
    const char *key = item->string;
    struct at here = {.up = at, .key = key};

    if (strcmp(key, "constant") == 0) {
        struct value_spec *v = new_spec(s, VALUES_CONSTANT);

        v->a = spec_expr(s, &here, item, EXPR_REAL);
        return v->a != NULL ? v : NULL;
    }
    if (strcmp(key, "uniform") == 0)
        return read_pair(s, &here, item, VALUES_UNIFORM);
    if (strcmp(key, "integers") == 0)
        return read_pair(s, &here, item, VALUES_INTEGERS);
    if (strcmp(key, "normal") == 0)
        return read_pair(s, &here, item, VALUES_NORMAL);
    if (strcmp(key, "ramp") == 0)
        return read_pair(s, &here, item, VALUES_RAMP);
    if (strcmp(key, "list") == 0)
        return read_list(s, &here, item, VALUES_LIST);
    if (strcmp(key, "cycle") == 0)
        return read_list(s, &here, item, VALUES_CYCLE);
    if (strcmp(key, "same") == 0 || strcmp(key, "negate") == 0)
        return read_other(s, &here, item, param, key[0] == 'n');
    if (strcmp(key, "mostly") == 0)
        return read_mostly(s, &here, item, param);
    spec_object(s, at, &(cJSON){.type = cJSON_Object, .child = (cJSON *)item}, KEYS);
    return NULL;
}

const struct value_spec *
values_read(struct spec *s, const struct at *at, const cJSON *item, int param)
{
    const struct param *p = &s->problem->param[param];
    const struct value_spec *v;

    if (cJSON_IsString(item) && strcmp(item->valuestring, "identity") == 0) {
        if (p->rank == 2)
            return new_spec(s, VALUES_IDENTITY);
        spec_error(s, at, "only a matrix can be the identity; %s has %d dimension%s",
                   p->name, p->rank, p->rank == 1 ? "" : "s");
        return NULL;
    }
    if (!cJSON_IsObject(item) || item->child == NULL || item->child->next != NULL) {
        spec_error(s, at,
                   "values are \"identity\" or an object with one key, such as "
                   "{\"uniform\": [-1, 1]}");
        return NULL;
    }
    v = read_keyed(s, at, item->child, param);
    if (v != NULL && (v->kind == VALUES_UNIFORM || v->kind == VALUES_NORMAL) &&
        dtype_class(p->type) != CLASS_FLOAT) {
        spec_error(s, at, "\"%s\" makes real numbers, but %s is %s: use \"integers\"",
                   item->child->string, p->name, dtype_name(p->type));
        return NULL;
    }
    return v;
}

/* --- resolving ---------------------------------------------------------------------- */

/* Both bounds of a pair at this test's sizes. */
static int
evaluate_pair(const struct value_spec *v, const struct test_case *t, double *a, double *b,
              struct report *r)
{
    if (expr_real(v->a, t->scalar, a, r) != 0)
        return -1;
    return v->b == NULL ? 0 : expr_real(v->b, t->scalar, b, r);
}

/* gen_integer draws from at most 2^32 numbers. */
static int
check_bounds(enum value_kind kind, double lo, double hi, struct report *r)
{
    if (lo > hi || (kind == VALUES_UNIFORM && lo == hi))
        return report_fail(r, "the bounds %.9g and %.9g leave no values", lo, hi);
    if (kind != VALUES_INTEGERS)
        return 0;
    if (lo != floor(lo) || hi != floor(hi))
        return report_fail(r, "the bounds %.17g and %.17g are not whole numbers", lo, hi);
    if (hi - lo > 4294967295.0)
        return report_fail(r, "from %.17g to %.17g are more than 2^32 numbers", lo, hi);
    return 0;
}

/* UNIFORM, INTEGERS, NORMAL, RAMP, CONSTANT: two numbers and what they span. */
static int
resolve_pair(const struct value_spec *v, const struct test_case *t, uint64_t count,
             struct gen *g, struct range *range, struct report *r)
{
    static const uint8_t KIND[] = {[VALUES_CONSTANT] = GEN_CONSTANT,
                                   [VALUES_UNIFORM] = GEN_UNIFORM,
                                   [VALUES_INTEGERS] = GEN_INTEGER,
                                   [VALUES_NORMAL] = GEN_NORMAL,
                                   [VALUES_RAMP] = GEN_RAMP};
    double last;

    if (evaluate_pair(v, t, &g->a, &g->b, r) != 0)
        return -1;
    g->kind = KIND[v->kind];
    *range = (struct range){g->a, g->a};
    switch (v->kind) {
    case VALUES_UNIFORM:
    case VALUES_INTEGERS:
        range->hi = g->b;
        return check_bounds(v->kind, g->a, g->b, r);
    case VALUES_NORMAL:
        if (g->b < 0)
            return report_fail(r, "the deviation %.9g is negative", g->b);
        *range = (struct range){g->a - NORMAL_REACH * g->b, g->a + NORMAL_REACH * g->b};
        return 0;
    case VALUES_RAMP:
        last = g->a + g->b * (double)(count - 1);
        *range = (struct range){fmin(g->a, last), fmax(g->a, last)};
        return 0;
    default:
        return 0;
    }
}

static int
resolve_list(const struct value_spec *v, uint64_t count, struct gen *g,
             struct range *range, struct report *r)
{
    if (v->kind == VALUES_LIST && (uint64_t)v->count != count)
        return report_fail(r,
                           "the list has %d numbers for %llu elements (\"cycle\" repeats "
                           "its numbers)",
                           v->count, (unsigned long long)count);
    g->kind = GEN_LIST;
    g->list_count = (uint32_t)v->count;
    *range = (struct range){v->list[0], v->list[0]};
    for (int i = 0; i < v->count; i++) {
        g->list[i] = v->list[i];
        range->lo = fmin(range->lo, v->list[i]);
        range->hi = fmax(range->hi, v->list[i]);
    }
    return 0;
}

static int
resolve_mostly(const struct value_spec *v, const struct test_case *t, struct gen *g,
               struct range *range, struct report *r)
{
    double unused = 0;

    g->kind = GEN_MOSTLY;
    g->integer = v->rest->kind == VALUES_INTEGERS;
    g->share = v->share;
    if (evaluate_pair(v, t, &g->b, &unused, r) != 0 ||
        evaluate_pair(v->rest, t, &g->c, &g->d, r) != 0 ||
        check_bounds(v->rest->kind, g->c, g->d, r) != 0)
        return -1;
    *range = (struct range){fmin(g->b, g->c), fmax(g->b, g->d)};
    return 0;
}

/* Whole numbers only, where the type has no others. */
static int
check_whole(const struct gen *g, struct report *r)
{
    bool whole = true;

    if (g->kind == GEN_CONSTANT || g->kind == GEN_RAMP)
        whole = g->a == floor(g->a) && g->b == floor(g->b);
    else if (g->kind == GEN_MOSTLY)
        whole = g->b == floor(g->b);
    else if (g->kind == GEN_LIST)
        for (uint32_t i = 0; i < g->list_count; i++)
            whole = whole && g->list[i] == floor(g->list[i]);
    return whole ? 0
                 : report_fail(r, "the type %s holds whole numbers only",
                               dtype_name((enum dtype)g->dtype));
}

static int
check_range(const struct gen *g, struct range range, struct report *r)
{
    const struct range type = TYPE_RANGE[g->dtype];

    if (g->negate)
        range = (struct range){-range.hi, -range.lo};
    if (range.lo >= type.lo && range.hi <= type.hi)
        return 0;
    return report_fail(r, "values from %.9g to %.9g do not fit %s", range.lo, range.hi,
                       dtype_name((enum dtype)g->dtype));
}

/* What parameter *param draws in test t, through "same" and "negate" to a generator. */
static const struct value_spec *
follow(const struct problem *p, const struct test_case *t, int *param, bool *negate,
       struct report *r)
{
    for (int steps = 0; steps <= p->param_count; steps++) {
        const struct value_spec *v =
            t->values[*param] != NULL ? t->values[*param] : p->param[*param].values;

        if (v == NULL) {
            report_fail(r, "%s is no input: it has no values", p->param[*param].name);
            return NULL;
        }
        if (v->kind != VALUES_OTHER)
            return v;
        *negate = *negate != v->negate;
        *param = v->other;
    }
    report_fail(r, "\"same\" and \"negate\" go round in a circle");
    return NULL;
}

int
values_resolve(const struct problem *p, const struct test_case *t, int param,
               const struct extent *extent, struct gen *out, struct report *r)
{
    struct gen g = {.dtype = (uint8_t)p->param[param].type};
    struct range range = {0, 1};
    bool negate = false;
    int source = param;
    const struct value_spec *v = follow(p, t, &source, &negate, r);
    int rc = 0;

    if (v == NULL)
        return -1;
    g.stream = (uint32_t)source;
    g.negate = negate;
    if (v->kind == VALUES_IDENTITY) {
        g.kind = GEN_IDENTITY;
        g.columns = extent->dim[extent->rank - 1];
    } else if (v->kind == VALUES_LIST || v->kind == VALUES_CYCLE) {
        rc = resolve_list(v, extent->count, &g, &range, r);
    } else if (v->kind == VALUES_MOSTLY) {
        rc = resolve_mostly(v, t, &g, &range, r);
    } else {
        rc = resolve_pair(v, t, extent->count, &g, &range, r);
    }
    if (rc != 0 || check_range(&g, range, r) != 0)
        return -1;
    if (dtype_class(p->param[param].type) != CLASS_FLOAT && check_whole(&g, r) != 0)
        return -1;
    *out = g;
    return 0;
}

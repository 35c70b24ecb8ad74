/* Descriptions at a test's sizes: the parameter that a description belongs to, the struct
 * gen that it becomes, the range of its values, and which inputs depend on which. */
#include "problem/value_spec.h"

#include <math.h>
#include <string.h>

/* The largest finite magnitudes of the floating types. */
#define F16_MAX 65504.0
#define BF16_MAX 3.3895313892515355e38
#define E4M3_MAX 448.0
#define E5M2_MAX 57344.0
#define F32_MAX 3.4028234663852886e38
#define WHOLE_MAX 9007199254740992.0 /* 2^53 */
#define F64_MAX 1.7976931348623157e308
/* Up to this many elements are drawn independently and sorted on the host. With more,
 * each element is drawn from a part of the range of its own, which any device can do. */
#define SORTED_HERE_MAX ((uint64_t)1 << 20)

#define NORMAL_REACH 7.0 /* in deviations; gen_normal() reaches 6.77 */

struct range {
    double lo, hi;
};

static const struct range TYPE_RANGE[DTYPE_COUNT] = {
    [DTYPE_F32] = {-F32_MAX, F32_MAX},
    [DTYPE_F64] = {-F64_MAX, F64_MAX},
    [DTYPE_F16] = {-F16_MAX, F16_MAX},
    [DTYPE_BF16] = {-BF16_MAX, BF16_MAX},
    [DTYPE_E4M3] = {-E4M3_MAX, E4M3_MAX},
    [DTYPE_E5M2] = {-E5M2_MAX, E5M2_MAX},
    [DTYPE_E2M1X2] = {0, 255},
    [DTYPE_I8] = {-128, 127},
    [DTYPE_U8] = {0, 255},
    [DTYPE_I16] = {-32768, 32767},
    [DTYPE_U16] = {0, 65535},
    [DTYPE_I32] = {-2147483648.0, 2147483647.0},
    [DTYPE_U32] = {0, 4294967295.0},
    /* A generator computes in doubles, which hold whole numbers up to 2^53. */
    [DTYPE_I64] = {-9007199254740992.0, 9007199254740992.0},
    [DTYPE_U64] = {0, 9007199254740992.0},
};

/* The two numbers of a description at this test's sizes. */
static int
evaluate_pair(const struct value_spec *v, const struct test_case *t, double *a, double *b,
              struct report *r)
{
    if (expr_real(v->a, t->scalar, a, r) != 0)
        return -1;
    return v->b == NULL ? 0 : expr_real(v->b, t->scalar, b, r);
}

/* Checks the bounds of a range. gen_integer() draws from at most 2^32 numbers. */
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

/* Resolves UNIFORM, INTEGERS, NORMAL, RAMP and CONSTANT, which are two numbers, and the
 * range that they span. */
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

/* The range of a list's finite numbers. Others need no check: they fit every float type,
 * and a list of integers holds none. */
static struct range
range_of(const double *list, int count)
{
    struct range range = {INFINITY, -INFINITY};

    for (int i = 0; i < count; i++) {
        if (!isfinite(list[i]))
            continue;
        range.lo = fmin(range.lo, list[i]);
        range.hi = fmax(range.hi, list[i]);
    }
    return range.lo <= range.hi ? range : (struct range){0, 0};
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
    memcpy(g->list, v->list, (size_t)v->count * sizeof *v->list);
    *range = range_of(v->list, v->count);
    return 0;
}

static int
resolve_choice(const struct value_spec *v, struct gen *g, struct range *range)
{
    g->kind = GEN_CHOICE;
    g->list_count = (uint32_t)v->count;
    memcpy(g->list, v->list, 2 * (size_t)v->count * sizeof *v->list);
    *range = range_of(v->list, v->count);
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

int
values_count(const struct expr *e, const struct test_case *t, const char *what,
             uint64_t *out, struct report *r)
{
    double value = 0;

    if (expr_real(e, t->scalar, &value, r) != 0)
        return -1;
    if (!(value >= 0 && value <= WHOLE_MAX) || value != floor(value))
        return report_fail(r, "the %s is %.17g here: no whole number from 0 to 2^53",
                           what, value);
    *out = (uint64_t)value;
    return 0;
}

static uint64_t
row_of(const struct value_spec *v, const struct extent *extent)
{
    return v->by_rows ? extent->dim[extent->rank - 1] : extent->count;
}

/* Resolves "distinct", whose range must have a number for each element of a row. */
static int
resolve_distinct(const struct value_spec *v, const struct test_case *t,
                 const struct extent *extent, struct gen *g, struct range *range,
                 struct report *r)
{
    const uint64_t row = row_of(v, extent);
    double lo = 0, hi = (double)row - 1;

    if (v->a != NULL && evaluate_pair(v, t, &lo, &hi, r) != 0)
        return -1;
    if (lo != floor(lo) || hi != floor(hi) || fabs(lo) > WHOLE_MAX ||
        fabs(hi) > WHOLE_MAX || hi < lo)
        return report_fail(r, "the bounds %.17g and %.17g leave no whole numbers", lo,
                           hi);
    *range = (struct range){lo, hi};
    g->kind = GEN_ORDER;
    g->a = lo;
    g->columns = row;
    g->range = (uint64_t)(hi - lo) + 1;
    if (g->range < row)
        return report_fail(r, "from %.17g to %.17g are not %llu distinct numbers", lo, hi,
                           (unsigned long long)row);
    return 0;
}

static int
resolve_sorted(const struct value_spec *v, const struct test_case *t,
               const struct extent *extent, struct gen *g, struct range *range,
               struct report *r)
{
    g->kind = GEN_SORTED;
    g->integer = v->rest->kind == VALUES_INTEGERS;
    g->columns = row_of(v, extent);
    if (values_bounds(v->rest, t, &g->a, &g->b, r) != 0)
        return -1;
    *range = (struct range){g->a, g->b};
    return 0;
}

static int values_resolve_spec(const struct value_spec *v, const struct test_case *t,
                               const struct extent *extent, struct gen *g,
                               struct range *range, struct report *r);

/* Resolves "scatter". The range includes 0 and 1, which scattering adds to the values. */
static int
resolve_scatter(const struct value_spec *v, const struct test_case *t,
                const struct extent *extent, struct gen *g, struct range *range,
                struct report *r)
{
    uint64_t count = 0;

    if (values_resolve_spec(v->rest, t, extent, g, range, r) != 0 ||
        values_count(v->a, t, "count", &count, r) != 0)
        return -1;
    if (count > extent->count)
        return report_fail(r, "%llu places are more than the %llu elements there are",
                           (unsigned long long)count, (unsigned long long)extent->count);
    *range = (struct range){fmin(range->lo, 0), fmax(range->hi, 1)};
    if (count == 0) {
        *g = (struct gen){.kind = GEN_CONSTANT, .dtype = g->dtype, .negate = g->negate};
        return 0;
    }
    g->scatter = count;
    g->range = extent->count;
    return 0;
}

/* Checks that a generator for an integer type draws whole numbers only. */
static int
gen_check_whole(const struct gen *g, struct report *r)
{
    bool whole = true;

    if (g->kind == GEN_CONSTANT || g->kind == GEN_RAMP)
        whole = g->a == floor(g->a) && g->b == floor(g->b);
    else if (g->kind == GEN_MOSTLY)
        whole = g->b == floor(g->b);
    else if (g->kind == GEN_LIST || g->kind == GEN_CHOICE)
        for (uint32_t i = 0; i < g->list_count; i++)
            whole = whole && g->list[i] == floor(g->list[i]);
    return whole ? 0
                 : report_fail(r, "the type %s holds whole numbers only",
                               dtype_name((enum dtype)g->dtype));
}

static int
gen_check_range(const struct gen *g, struct range range, struct report *r)
{
    const struct range type = TYPE_RANGE[g->dtype];

    if (g->negate)
        range = (struct range){-range.hi, -range.lo};
    if (range.lo >= type.lo && range.hi <= type.hi)
        return 0;
    return report_fail(r, "values from %.9g to %.9g do not fit %s", range.lo, range.hi,
                       dtype_name((enum dtype)g->dtype));
}

/* --- the whole ---------------------------------------------------------------------- */

static const struct value_spec *
values_own(const struct problem *p, const struct test_case *t, int param)
{
    return t->values[param] != NULL ? t->values[param] : p->param[param].values;
}

const struct value_spec *
values_follow(const struct problem *p, const struct test_case *t, int *param,
              bool *negate, struct report *r)
{
    for (int steps = 0; steps <= p->param_count; steps++) {
        const struct value_spec *v = values_own(p, t, *param);

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

bool
values_is_gen(const struct value_spec *v, const struct extent *extent)
{
    if (v->kind == VALUES_SORTED)
        return extent->count > SORTED_HERE_MAX;
    return v->kind < VALUES_OTHER && v->count <= GEN_LIST_MAX;
}

int
values_bounds(const struct value_spec *v, const struct test_case *t, double *lo,
              double *hi, struct report *r)
{
    if (evaluate_pair(v, t, lo, hi, r) != 0)
        return -1;
    return check_bounds(v->kind, *lo, *hi, r);
}

bool
values_promised(const struct problem *p, const struct test_case *t, int param, double *lo,
                double *hi)
{
    struct report unused = {0};
    bool negate = false;
    int source = param;
    const struct value_spec *v = values_follow(p, t, &source, &negate, &unused);

    return v != NULL && v->kind == VALUES_INTEGERS && !negate &&
           dtype_class(p->param[param].type) != CLASS_FLOAT &&
           values_bounds(v, t, lo, hi, &unused) == 0;
}

int
values_fit(enum dtype type, double value, struct report *r)
{
    const struct range range = TYPE_RANGE[type];

    if (dtype_class(type) == CLASS_FLOAT) {
        if (isnan(value) || (isinf(value) && type != DTYPE_E4M3) ||
            (value >= range.lo && value <= range.hi))
            return 0;
    } else if (value == floor(value) && value >= range.lo && value <= range.hi) {
        return 0;
    }
    return report_fail(r, "%.17g does not fit %s", value, dtype_name(type));
}

static int
values_resolve_spec(const struct value_spec *v, const struct test_case *t,
                    const struct extent *extent, struct gen *g, struct range *range,
                    struct report *r)
{
    switch (v->kind) {
    case VALUES_IDENTITY:
        g->kind = GEN_IDENTITY;
        g->columns = extent->dim[extent->rank - 1];
        return 0;
    case VALUES_LIST:
    case VALUES_CYCLE:
        return resolve_list(v, extent->count, g, range, r);
    case VALUES_CHOICE:
        return resolve_choice(v, g, range);
    case VALUES_MOSTLY:
        return resolve_mostly(v, t, g, range, r);
    case VALUES_DISTINCT:
        return resolve_distinct(v, t, extent, g, range, r);
    case VALUES_SCATTER:
        return resolve_scatter(v, t, extent, g, range, r);
    case VALUES_SORTED:
        return resolve_sorted(v, t, extent, g, range, r);
    default:
        return resolve_pair(v, t, extent->count, g, range, r);
    }
}

/* Does an element depend on how many elements there are, or on where rows end? */
static bool
has_shape(const struct value_spec *v)
{
    return v->kind == VALUES_DISTINCT || v->kind == VALUES_SCATTER ||
           v->kind == VALUES_SORTED;
}

const struct extent *
values_gen_shape(const struct value_spec *v, const struct extent *own,
                 const struct extent *source)
{
    return has_shape(v) ? source : own;
}

int
values_gen(const struct value_spec *v, const struct test_case *t, enum dtype type,
           const struct extent *extent, bool negate, struct gen *out, struct report *r)
{
    struct gen g = {.dtype = (uint8_t)type, .negate = negate};
    struct range range = {0, 1};

    if (values_resolve_spec(v, t, extent, &g, &range, r) != 0 ||
        gen_check_range(&g, range, r) != 0)
        return -1;
    if (dtype_class(type) != CLASS_FLOAT && gen_check_whole(&g, r) != 0)
        return -1;
    *out = g;
    return 0;
}

int
values_resolve(const struct problem *p, const struct test_case *t, int param,
               const struct extent *extent, struct gen *out, struct report *r)
{
    bool negate = false;
    int source = param;
    const struct value_spec *v = values_follow(p, t, &source, &negate, r);
    struct extent shape;

    if (v == NULL)
        return -1;
    if (!values_is_gen(v, extent))
        return report_fail(r, "the values of %s are made on the host",
                           p->param[param].name);
    if (problem_extent(p, t, source, &shape, r) != 0 ||
        values_gen(v, t, p->param[param].type, values_gen_shape(v, extent, &shape),
                   negate, out, r) != 0)
        return -1;
    out->stream = (uint32_t)source;
    return 0;
}

enum value_source
values_source(const struct problem *p, const struct test_case *t, int param)
{
    struct report unused = {0};
    bool negate = false;
    int source = param;
    const struct value_spec *v = values_follow(p, t, &source, &negate, &unused);

    struct extent extent;

    /* problem_verify() has checked the description and the extent. */
    if (v == NULL || problem_extent(p, t, param, &extent, &unused) != 0 ||
        values_is_gen(v, &extent))
        return VALUE_SOURCE_GEN;
    return v->kind == VALUES_FILE ? VALUE_SOURCE_FILE : VALUE_SOURCE_HOST;
}

/* --- what depends on what ----------------------------------------------------------- */

enum mark { MARK_NEW, MARK_OPEN, MARK_DONE };

struct walk {
    const struct problem *p;
    const struct test_case *t;
    enum mark mark[PROBLEM_PARAMS_MAX];
    int first;   /* the parameter from which the walk began */
    bool circle; /* a parameter that depends on itself was found */
    bool file; /* another parameter was found that inputs.c makes, which happens later */
};

static void values_visit(void *context, int param);

static void
values_visit(void *context, int param)
{
    struct walk *w = context;
    const struct value_spec *v = values_own(w->p, w->t, param);

    if (w->mark[param] == MARK_OPEN)
        w->circle = true;
    if (w->mark[param] != MARK_NEW || v == NULL)
        return;
    w->mark[param] = MARK_OPEN;
    w->file = w->file || (v->kind == VALUES_FILE && param != w->first);
    if (v->kind == VALUES_OTHER)
        values_visit(w, v->other);
    expr_visit_buffers(v->formula, values_visit, w);
    if (v->kind == VALUES_FILE && v->rest != NULL)
        expr_visit_buffers(v->rest->formula, values_visit, w);
    w->mark[param] = MARK_DONE;
}

int
values_verify(const struct problem *p, const struct test_case *t, int param,
              const struct extent *extent, struct report *r)
{
    struct walk w = {.p = p, .t = t, .first = param};
    struct extent source_extent;
    bool negate = false;
    int source = param;
    const struct value_spec *v = values_follow(p, t, &source, &negate, r);
    struct gen unused;

    if (v == NULL)
        return -1;
    if (values_is_gen(v, extent) && !has_shape(v))
        return values_resolve(p, t, param, extent, &unused, r);
    values_visit(&w, param);
    if (w.file)
        return report_fail(r, "they read what inputs.c makes later: let it make them, "
                              "too");
    if (w.circle)
        return report_fail(r, "the formulas read each other in a circle");
    if (problem_extent(p, t, source, &source_extent, r) != 0)
        return -1;
    if (source_extent.count != extent->count)
        return report_fail(r, "%s has %llu elements, but %s, whose values it has, %llu",
                           p->param[param].name, (unsigned long long)extent->count,
                           p->param[source].name,
                           (unsigned long long)source_extent.count);
    if (values_is_gen(v, extent))
        return values_resolve(p, t, param, extent, &unused, r);
    return values_check_made(p, t, p->param[param].type, v, extent, r);
}

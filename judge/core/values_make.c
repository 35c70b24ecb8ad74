/*
 * Inputs made on the host, a whole buffer at a time and in order. Each kind of
 * description that is no struct gen is a `source` here: opened at a test's sizes, then
 * asked for one double after the other, which are checked against the buffer's type and
 * stored.
 *
 * A formula may read other inputs; those are made first and kept while it is evaluated.
 * problem_verify has seen to it that none reads itself.
 */
#include "core/buf.h"
#include "core/draw.h"
#include "core/values_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1024
#define WHOLE_MAX 9007199254740992.0 /* 2^53 */

struct maker {
    const struct problem *p;
    const struct test_case *t;
    uint64_t seed;
    void *made[PROBLEM_PARAMS_MAX]; /* what formulas read; NULL: not yet */
    uint64_t count[PROBLEM_PARAMS_MAX];
};

/* One description being made; `next` is the element that comes next. */
struct source {
    struct maker *m;
    const struct value_spec *v;
    struct extent extent;
    uint64_t columns; /* of the last dimension */
    uint32_t stream;
    uint64_t next;
    double lo, hi;        /* SORTED: the bounds */
    bool whole;           /* SORTED */
    uint64_t total, rows; /* OFFSETS, SPARSE; SPARSE: columns in `columns` */
    struct draw_sorted sorted;
    struct draw_cells cells;
    uint64_t cell;       /* SPARSE: the next one; its range where there is none */
    uint64_t cells_left; /* SPARSE: behind `cell` */
    uint64_t row;        /* SPARSE_ROW_OFFSETS: cells before this row are counted */
    uint64_t counted;
    struct source *inner; /* FORMULA's value */
    struct gen gen;       /* what is a generator, in doubles */
    uint64_t batch_at;    /* first element in batch; UINT64_MAX: none */
    double batch[BATCH];
};

/* --- arguments at a test's sizes ---------------------------------------------------- */

static int
check_sparse(const struct value_spec *v, const struct test_case *t,
             const struct extent *extent, struct source *s, struct report *r)
{
    uint64_t cells, wanted;

    if (values_count(v->rows, t, "number of rows", &s->rows, r) != 0 ||
        values_count(v->columns, t, "number of columns", &s->columns, r) != 0 ||
        values_count(v->a, t, "count", &s->total, r) != 0)
        return -1;
    if (s->rows == 0 || s->columns == 0)
        return report_fail(r, "a sparse matrix has rows and columns");
    if (__builtin_mul_overflow(s->rows, s->columns, &cells) || (double)cells > WHOLE_MAX)
        return report_fail(r, "a sparse matrix has at most 2^53 elements");
    if (s->total > cells)
        return report_fail(r, "%llu elements do not fit %llu rows of %llu",
                           (unsigned long long)s->total, (unsigned long long)s->rows,
                           (unsigned long long)s->columns);
    wanted = v->part == SPARSE_ROW_OFFSETS ? s->rows + 1 : s->total;
    if (extent->count == wanted)
        return 0;
    return report_fail(r, "this part has %llu elements, but the buffer %llu",
                       (unsigned long long)wanted, (unsigned long long)extent->count);
}

/* Fills what `s` needs to know of its sizes. */
static int
measure(struct source *s, struct report *r)
{
    const struct value_spec *v = s->v;
    const struct test_case *t = s->m->t;

    switch (v->kind) {
    case VALUES_SORTED:
        s->whole = v->rest->kind == VALUES_INTEGERS;
        return values_bounds(v->rest, t, &s->lo, &s->hi, r);
    case VALUES_OFFSETS:
        if (s->extent.count < 2)
            return report_fail(r, "offsets have at least two elements, the first and the "
                                  "last");
        return values_count(v->a, t, "total", &s->total, r);
    case VALUES_SPARSE:
        return check_sparse(v, t, &s->extent, s, r);
    case VALUES_LIST:
        if ((uint64_t)v->count != s->extent.count)
            return report_fail(r,
                               "the list has %d numbers for %llu elements (\"cycle\" "
                               "repeats its numbers)",
                               v->count, (unsigned long long)s->extent.count);
        return 0;
    default:
        return 0;
    }
}

/* --- opening ------------------------------------------------------------------------ */

static void
next_cell(struct source *s)
{
    s->cell = s->cells_left > 0 ? draw_cells_next(&s->cells) : s->rows * s->columns;
    if (s->cells_left > 0)
        s->cells_left--;
}

static struct source *source_open(struct maker *m, const struct value_spec *v,
                                  const struct extent *extent, uint32_t stream,
                                  struct report *r);

static void
source_free(struct source *s)
{
    if (s == NULL)
        return;
    source_free(s->inner);
    free(s);
}

static int
begin(struct source *s, struct report *r)
{
    const struct value_spec *v = s->v;
    const uint64_t seed = s->m->seed;

    if (v->kind == VALUES_FORMULA && v->rest != NULL &&
        (s->inner = source_open(s->m, v->rest, &s->extent, s->stream, r)) == NULL)
        return -1;
    switch (v->kind) {
    case VALUES_OFFSETS:
        draw_sorted_open(&s->sorted, seed, s->stream, 0, s->extent.count - 2);
        break;
    case VALUES_SPARSE:
        draw_cells_open(&s->cells, seed, v->stream, s->total, s->rows * s->columns);
        s->cells_left = s->total;
        next_cell(s);
        break;
    default:
        break;
    }
    return 0;
}

/* NULL: reported. */
static struct source *
source_open(struct maker *m, const struct value_spec *v, const struct extent *extent,
            uint32_t stream, struct report *r)
{
    struct source *s = xcalloc(1, sizeof *s);

    *s = (struct source){.m = m,
                         .v = v,
                         .extent = *extent,
                         .columns = extent->dim[extent->rank - 1],
                         .stream = stream,
                         .batch_at = UINT64_MAX};
    if (values_is_gen(v, extent)
            ? values_gen(v, m->t, DTYPE_F64, extent, false, &s->gen, r) != 0
            : measure(s, r) != 0 || begin(s, r) != 0) {
        source_free(s);
        return NULL;
    }
    s->gen.stream = stream;
    return s;
}

/* --- elements ----------------------------------------------------------------------- */

static double
next_of_gen(struct source *s)
{
    const uint64_t batch = s->next / BATCH * BATCH;

    if (s->batch_at != batch) {
        const uint64_t left = s->extent.count - batch;

        gen_fill(&s->gen, s->m->seed, batch, left < BATCH ? left : BATCH, s->batch);
        s->batch_at = batch;
    }
    return s->batch[s->next - batch];
}

static double
next_of_sorted(struct source *s)
{
    const double u = draw_sorted_next(&s->sorted);

    if (s->whole)
        return s->lo + floor(u * (s->hi - s->lo + 1));
    return s->lo + u * (s->hi - s->lo);
}

static double
next_of_offsets(struct source *s)
{
    if (s->next == 0)
        return 0;
    if (s->next == s->extent.count - 1)
        return (double)s->total;
    return floor(draw_sorted_next(&s->sorted) * ((double)s->total + 1));
}

static double
next_of_sparse(struct source *s)
{
    uint64_t at = s->cell;

    if (s->v->part != SPARSE_ROW_OFFSETS) {
        next_cell(s);
        return (double)(s->v->part == SPARSE_ROWS ? at / s->columns : at % s->columns);
    }
    while (s->counted < s->total && s->cell < s->next * s->columns) {
        s->counted++;
        next_cell(s);
    }
    return (double)s->counted;
}

static int make_all(struct maker *m, int param, void *dst, struct report *r);

/* An input that a formula reads, whole. */
static int
make_read(struct maker *m, int param, struct report *r)
{
    struct extent extent;

    if (m->made[param] != NULL)
        return 0;
    if (problem_extent(m->p, m->t, param, &extent, r) != 0)
        return -1;
    m->made[param] = xcalloc(extent.count, dtype_size(m->p->param[param].type));
    m->count[param] = extent.count;
    return make_all(m, param, m->made[param], r);
}

static int
element_of(void *context, int index, uint64_t at, double *out, struct report *r)
{
    struct source *s = context;
    struct maker *m = s->m;
    const struct param *p = &m->p->param[index];

    if (make_read(m, index, r) != 0)
        return -1;
    if (at >= m->count[index])
        return report_fail(r, "%s[%llu] is read, but it has %llu elements", p->name,
                           (unsigned long long)at, (unsigned long long)m->count[index]);
    *out = gen_load((uint8_t)p->type, m->made[index], at);
    return 0;
}

static double
random_of(void *context, uint64_t k)
{
    const struct source *s = context;

    return draw_random(s->m->seed, s->stream, k);
}

static double
normal_of(void *context, uint64_t k)
{
    const struct source *s = context;

    return draw_normal(s->m->seed, s->stream, k);
}

static int source_next(struct source *s, double *out, struct report *r);

static int
next_of_formula(struct source *s, double *out, struct report *r)
{
    double values[ELEMENT_NAMES] = {0};
    const struct expr_scope scope = {.values = values,
                                     .random = random_of,
                                     .normal = normal_of,
                                     .element = element_of,
                                     .context = s};
    uint64_t rest = s->next;

    for (int i = 0; i < PROBLEM_PARAMS_MAX; i++)
        values[i] = s->m->t->scalar[i];
    values[ELEMENT_I] = (double)s->next;
    for (int d = s->extent.rank - 1; d >= 0; d--) {
        values[ELEMENT_I0 + d] = (double)(rest % s->extent.dim[d]);
        rest /= s->extent.dim[d];
    }
    if (s->inner != NULL && source_next(s->inner, &values[ELEMENT_VALUE], r) != 0)
        return -1;
    return expr_element(s->v->formula, &scope, out, r);
}

static int
source_next(struct source *s, double *out, struct report *r)
{
    const struct value_spec *v = s->v;
    const uint64_t row = v->by_rows ? s->columns : s->extent.count;
    int rc = 0;

    if (v->kind == VALUES_SORTED && s->next % row == 0)
        draw_sorted_open(&s->sorted, s->m->seed, s->stream, s->next / row, row);
    switch (v->kind) {
    case VALUES_LIST:
    case VALUES_CYCLE:
        *out = v->list[s->next % (uint64_t)v->count];
        break;
    case VALUES_SORTED:
        *out = next_of_sorted(s);
        break;
    case VALUES_OFFSETS:
        *out = next_of_offsets(s);
        break;
    case VALUES_SPARSE:
        *out = next_of_sparse(s);
        break;
    case VALUES_FORMULA:
        rc = next_of_formula(s, out, r);
        break;
    default:
        *out = next_of_gen(s);
        break;
    }
    s->next++;
    return rc;
}

/* --- whole buffers ------------------------------------------------------------------ */

static int
store_all(struct source *s, enum dtype type, bool negate, void *dst, struct report *r)
{
    for (uint64_t i = 0; i < s->extent.count; i++) {
        double value = 0;

        if (source_next(s, &value, r) != 0 ||
            values_fit(type, negate ? -value : value, r) != 0) {
            report_prefix(r, "element %llu", (unsigned long long)i);
            return -1;
        }
        gen_put((uint8_t)type, negate ? -value : value, dst, i);
    }
    return 0;
}

static int
make_all(struct maker *m, int param, void *dst, struct report *r)
{
    const enum dtype type = m->p->param[param].type;
    bool negate = false;
    int owner = param, rc;
    const struct value_spec *v = values_follow(m->p, m->t, &owner, &negate, r);
    struct extent extent, source;
    struct source *s;
    struct gen g;

    if (v == NULL || problem_extent(m->p, m->t, param, &extent, r) != 0)
        return -1;
    if (v->kind == VALUES_FILE && v->rest == NULL) {
        memset(dst, 0, extent.bytes);
        return 0;
    }
    if (v->kind == VALUES_FILE)
        v = v->rest;
    if (problem_extent(m->p, m->t, owner, &source, r) != 0)
        return -1;
    if (values_is_gen(v, &extent)) {
        if (values_gen(v, m->t, type, values_gen_shape(v, &extent, &source), negate, &g,
                       r) != 0)
            return -1;
        g.stream = (uint32_t)owner;
        gen_fill(&g, m->seed, 0, extent.count, dst);
        return 0;
    }
    /* "same" has its owner's numbers, in the owner's shape. */
    s = source_open(m, v, &source, (uint32_t)owner, r);
    if (s == NULL)
        return -1;
    rc = store_all(s, type, negate, dst, r);
    source_free(s);
    return rc;
}

int
values_make(const struct problem *p, const struct test_case *t, int param, uint64_t seed,
            void *dst, struct report *r)
{
    struct maker m = {.p = p, .t = t, .seed = seed};
    int rc = make_all(&m, param, dst, r);

    for (int i = 0; i < p->param_count; i++)
        free(m.made[i]);
    if (rc != 0)
        report_prefix(r, "the values of %s", p->param[param].name);
    return rc;
}

int
values_check_made(const struct problem *p, const struct test_case *t, enum dtype type,
                  const struct value_spec *v, const struct extent *extent,
                  struct report *r)
{
    struct maker m = {.p = p, .t = t};
    struct source s = {
        .m = &m, .v = v, .extent = *extent, .columns = extent->dim[extent->rank - 1]};

    if (measure(&s, r) != 0)
        return -1;
    if (v->rest == NULL)
        return 0;
    if (!values_is_gen(v->rest, extent))
        return values_check_made(p, t, type, v->rest, extent, r);
    return values_gen(v->rest, t, v->kind == VALUES_FILE ? type : DTYPE_F64, extent,
                      false, &s.gen, r);
}

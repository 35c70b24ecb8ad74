/*
 * Each kind of description that is no struct gen is a source. It is opened at a test's
 * sizes and then gives one double after the other.
 */
#include "problem/values_source.h"

#include "base/buf.h"
#include "problem/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1024                   /* at least EXPR_BATCH */
#define WHOLE_MAX 9007199254740992.0 /* 2^53 */

/* The source of one description. `next` is the element that it makes next. */
struct values_source {
    struct maker *m;
    const struct value_spec *v;
    struct extent extent;
    uint64_t columns; /* the extent of the last dimension; SPARSE: the matrix's columns */
    uint32_t stream;
    uint64_t next;
    double lo, hi;        /* SORTED: the bounds */
    bool whole;           /* SORTED */
    uint64_t total, rows; /* OFFSETS, SPARSE */
    struct draw_sorted sorted;
    struct draw_cells cells;
    uint64_t cell;       /* SPARSE: the next cell; beyond the last where there is none */
    uint64_t cells_left; /* SPARSE: how many cells follow `cell` */
    uint64_t row;        /* SPARSE_ROW_OFFSETS: cells before this row are counted */
    uint64_t counted;
    struct values_source *inner; /* FORMULA: the source of `value` */
    struct gen gen;    /* where the description is a generator: it, in doubles */
    uint64_t batch_at; /* the first element in batch; UINT64_MAX: none */
    double batch[BATCH];
};

/* --- arguments at a test's sizes ---------------------------------------------------- */

static int
check_sparse(const struct value_spec *v, const struct test_case *t,
             const struct extent *extent, struct values_source *s, struct report *r)
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

/* Evaluates the arguments of the source at the test's sizes. */
static int
values_source_measure(struct values_source *s, struct report *r)
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
next_cell(struct values_source *s)
{
    s->cell = s->cells_left > 0 ? draw_cells_next(&s->cells) : s->rows * s->columns;
    if (s->cells_left > 0)
        s->cells_left--;
}

void
values_source_free(struct values_source *s)
{
    if (s == NULL)
        return;
    values_source_free(s->inner);
    free(s);
}

static int
values_source_begin(struct values_source *s, struct report *r)
{
    const struct value_spec *v = s->v;
    const uint64_t seed = s->m->seed;

    if (v->kind == VALUES_FORMULA && v->rest != NULL &&
        (s->inner = values_source_open(s->m, v->rest, &s->extent, s->stream, r)) == NULL)
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

struct values_source *
values_source_open(struct maker *m, const struct value_spec *v,
                   const struct extent *extent, uint32_t stream, struct report *r)
{
    struct values_source *s = xcalloc(1, sizeof *s);

    *s = (struct values_source){.m = m,
                                .v = v,
                                .extent = *extent,
                                .columns = extent->dim[extent->rank - 1],
                                .stream = stream,
                                .batch_at = UINT64_MAX};
    if (values_is_gen(v, extent)
            ? values_gen(v, m->t, DTYPE_F64, extent, false, &s->gen, r) != 0
            : values_source_measure(s, r) != 0 || values_source_begin(s, r) != 0) {
        values_source_free(s);
        return NULL;
    }
    s->gen.stream = stream;
    return s;
}

/* --- elements ----------------------------------------------------------------------- */

static double
next_of_gen(struct values_source *s)
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
next_of_sorted(struct values_source *s)
{
    const double u = draw_sorted_next(&s->sorted);

    if (s->whole)
        return s->lo + floor(u * (s->hi - s->lo + 1));
    return s->lo + u * (s->hi - s->lo);
}

static double
next_of_offsets(struct values_source *s)
{
    if (s->next == 0)
        return 0;
    if (s->next == s->extent.count - 1)
        return (double)s->total;
    return floor(draw_sorted_next(&s->sorted) * ((double)s->total + 1));
}

static double
next_of_sparse(struct values_source *s)
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

static int
values_source_element(void *context, int index, uint64_t at, double *out,
                      struct report *r)
{
    struct values_source *s = context;
    struct maker *m = s->m;
    const struct param *p = &m->p->param[index];

    if (values_make_read(m, index, r) != 0)
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
    const struct values_source *s = context;

    return draw_random(s->m->seed, s->stream, k);
}

static double
normal_of(void *context, uint64_t k)
{
    const struct values_source *s = context;

    return draw_normal(s->m->seed, s->stream, k);
}

/* Writes the coordinates of elements first .. first + count - 1 in dimension d. */
static void
fill_coordinates(const struct extent *e, int d, uint64_t first, unsigned count,
                 double *out)
{
    uint64_t inner = 1, at, left;

    for (int k = d + 1; k < e->rank; k++)
        inner *= e->dim[k];
    at = first / inner % e->dim[d];
    left = inner - first % inner;
    for (unsigned i = 0; i < count; i++) {
        out[i] = (double)at;
        if (--left == 0) {
            left = inner;
            at = at + 1 == e->dim[d] ? 0 : at + 1;
        }
    }
}

/* The columns of the names that the formula uses and that differ between elements. */
struct formula_columns {
    const double *at[ELEMENT_NAMES];
    double memory[EXPR_COLUMNS_MAX][EXPR_BATCH];
};

static int
fill_columns(struct values_source *s, uint64_t first, unsigned count,
             struct formula_columns *c, struct report *r)
{
    for (int name = ELEMENT_VALUE; name < ELEMENT_NAMES; name++) {
        double *out = c->memory[name - ELEMENT_VALUE];
        const bool drawn = name == ELEMENT_VALUE && s->inner != NULL;

        if (!drawn && !expr_uses(s->v->formula, name))
            continue;
        c->at[name] = out;
        if (name >= ELEMENT_I0 && name - ELEMENT_I0 < s->extent.rank)
            fill_coordinates(&s->extent, name - ELEMENT_I0, first, count, out);
        for (unsigned i = 0; i < count; i++) {
            if (name == ELEMENT_I)
                out[i] = (double)(first + i);
            else if (drawn && values_source_next(s->inner, &out[i], r) != 0)
                return -1;
            else if (name == ELEMENT_VALUE && !drawn)
                out[i] = 0;
        }
    }
    return 0;
}

/* Evaluates the next batch of a formula's elements into s->batch. */
static int
evaluate_batch(struct values_source *s, struct report *r)
{
    const struct expr_scope scope = {.values = s->m->t->scalar,
                                     .random = random_of,
                                     .normal = normal_of,
                                     .element = values_source_element,
                                     .context = s};
    const uint64_t left = s->extent.count - s->next;
    const unsigned count = left < EXPR_BATCH ? (unsigned)left : EXPR_BATCH;
    struct formula_columns columns;
    unsigned failed = 0;

    memset(columns.at, 0, sizeof columns.at);
    if (fill_columns(s, s->next, count, &columns, r) != 0)
        return -1;
    s->batch_at = s->next;
    if (expr_batch(s->v->formula, &scope, columns.at, ELEMENT_NAMES, count, s->batch,
                   &failed, r) == 0)
        return 0;
    s->next += failed; /* the caller's report names this element */
    return -1;
}

static int
next_of_formula(struct values_source *s, double *out, struct report *r)
{
    if ((s->batch_at == UINT64_MAX || s->next - s->batch_at == EXPR_BATCH) &&
        evaluate_batch(s, r) != 0)
        return -1;
    *out = s->batch[s->next - s->batch_at];
    return 0;
}

int
values_source_next(struct values_source *s, double *out, struct report *r)
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
    if (rc == 0)
        s->next++;
    return rc;
}

uint64_t
values_source_at(const struct values_source *s)
{
    return s->next;
}

bool
values_source_is_free(const struct value_spec *v, const struct extent *extent)
{
    return v->kind == VALUES_FORMULA &&
           (v->rest == NULL || values_is_gen(v->rest, extent));
}

void
values_source_seek(struct values_source *s, uint64_t at)
{
    s->next = at;
    if (s->inner != NULL)
        s->inner->next = at;
}

int
values_check_made(const struct problem *p, const struct test_case *t, enum dtype type,
                  const struct value_spec *v, const struct extent *extent,
                  struct report *r)
{
    struct maker m = {.p = p, .t = t};
    struct values_source s = {
        .m = &m, .v = v, .extent = *extent, .columns = extent->dim[extent->rank - 1]};

    if (values_source_measure(&s, r) != 0)
        return -1;
    if (v->rest == NULL)
        return 0;
    if (!values_is_gen(v->rest, extent))
        return values_check_made(p, t, type, v->rest, extent, r);
    return values_gen(v->rest, t, v->kind == VALUES_FILE ? type : DTYPE_F64, extent,
                      false, &s.gen, r);
}

/*
 * A problem as the rest of the judge uses it: loading, listing, and its shapes, values
 * and sizes in one test. problem_read.c turns the JSON into the structure.
 */
#include "problem/problem.h"

#include "base/arena.h"
#include "base/buf.h"
#include "problem/expr.h"
#include "problem/spec.h"
#include "problem/values.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No buffer is larger, so that products of extents stay far from an overflow. */
#define BUFFER_BYTES_MAX ((uint64_t)1 << 48)

struct first_error {
    const char *slug;
    struct report *report;
};

static void
keep_first(void *context, const char *where, const char *sentence)
{
    struct first_error *first = context;

    report_fail(first->report, "%s/%s: %s", first->slug, where, sentence);
}

struct problem *
problem_load(const char *dir, const char *slug, struct report *r)
{
    struct first_error first = {.slug = slug, .report = r};
    int errors = 0;

    return problem_read(dir, slug, keep_first, &first, &errors);
}

static const char *const SOURCES_NAMES[] = {
#define X(name, text) text,
    SOURCES(X)
#undef X
};

const char *
sources_name(enum sources sources)
{
    return SOURCES_NAMES[sources];
}

int
sources_parse(const char *word, enum sources *out)
{
    for (int i = SOURCES_OWNER; i <= SOURCES_PUBLIC; i++)
        if (strcmp(SOURCES_NAMES[i], word) == 0) {
            *out = (enum sources)i;
            return 0;
        }
    return -1;
}

void
problem_free(struct problem *p)
{
    if (p != NULL)
        arena_free(p->arena);
}

static int
compare_slugs(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int
problem_list(const char *dir, char ***slugs, int *count, struct report *r)
{
    DIR *d = opendir(dir);
    const struct dirent *entry;
    char **list = NULL;
    int n = 0;

    if (d == NULL)
        return report_errno(r, "the problems' folder %s cannot be read", dir);
    while ((entry = readdir(d)) != NULL) {
        char *path;

        if (entry->d_name[0] == '.')
            continue;
        path = xasprintf("%s/%s/problem.json", dir, entry->d_name);
        if (access(path, F_OK) == 0) {
            list = xrealloc(list, sizeof *list * (size_t)(n + 1));
            list[n++] = xstrdup(entry->d_name);
        }
        free(path);
    }
    closedir(d);
    if (n > 0)
        qsort(list, (size_t)n, sizeof *list, compare_slugs);
    *slugs = list;
    *count = n;
    return 0;
}

char *
problem_signature(const struct problem *p)
{
    struct buf out = {0};

    buf_puts(&out, "void solve(");
    for (int i = 0; i < p->param_count; i++) {
        const struct param *q = &p->param[i];

        buf_printf(&out, "%s%s%s%s %s", i == 0 ? "" : ", ",
                   q->dir == DIR_IN ? "const " : "", dtype_ctype(q->type),
                   q->dir == DIR_SCALAR ? "" : "*", q->name);
    }
    buf_puts(&out, ")");
    return buf_take(&out);
}

/* The emulated GPU takes the PTX of every architecture, and names an instruction that it
 * lacks. Only a GPU is checked here. */
static int
check_arch(const struct problem *p, const char *device, const char *arch,
           struct report *r)
{
    const char *digits = strchr(arch, '_');
    const long has = digits != NULL ? strtol(digits + 1, NULL, 10) : 0;
    char *suffix = NULL;
    const long needs = p->arch != NULL ? strtol(p->arch, &suffix, 10) : 0;
    bool fits = has >= needs;

    /* "90a" runs on 9.0 only, and "100f" on 10.x. */
    if (suffix != NULL && *suffix == 'a')
        fits = has == needs;
    else if (suffix != NULL && *suffix == 'f')
        fits = has >= needs && has / 10 == needs / 10;
    if (fits || strcmp(device, "emu") == 0)
        return 0;
    return report_fail(r,
                       "%s is not judged on %s: it needs compute capability %ld.%ld%s, "
                       "the device has %ld.%ld",
                       p->slug, device, needs / 10, needs % 10, suffix, has / 10,
                       has % 10);
}

int
problem_runs_on(const struct problem *p, const char *device, const char *arch, int gpus,
                struct report *r)
{
    if (p->gpus > gpus && strcmp(device, "emu") != 0)
        return report_fail(r,
                           "%s is not judged on %s: it needs %d GPUs of one kind, and "
                           "this machine has %d of that kind",
                           p->slug, device, p->gpus, gpus);
    return check_arch(p, device, arch, r);
}

int
problem_param_index(const struct problem *p, const char *name)
{
    for (int i = 0; i < p->param_count; i++) {
        /* While a spec is read, parameters that are not reached yet have no name. */
        if (p->param[i].name != NULL && strcmp(p->param[i].name, name) == 0)
            return i;
    }
    return -1;
}

struct tolerance
problem_tolerance(const struct problem *p, int param, bool benchmark)
{
    const struct param *q = &p->param[param];

    if (q->has_tolerance)
        return benchmark ? q->benchmark_tolerance : q->tolerance;
    return benchmark ? p->benchmark_tolerance : p->tolerance;
}

bool
problem_uses_checker(const struct problem *p)
{
    for (int i = 0; i < p->param_count; i++) {
        if ((p->param[i].dir == DIR_OUT || p->param[i].dir == DIR_INOUT) &&
            problem_tolerance(p, i, false).mode == COMPARE_CHECKER)
            return true;
    }
    return false;
}

/* --- at given sizes ----------------------------------------------------------------- */

int
problem_extent(const struct problem *p, const struct test_case *t, int param,
               struct extent *out, struct report *r)
{
    const struct param *q = &p->param[param];
    struct extent e = {.rank = q->rank, .count = 1};

    for (int d = 0; d < q->rank; d++) {
        int64_t value;

        if (expr_whole(q->shape[d], t->scalar, &value, r) != 0) {
            report_prefix(r, "%s.shape[%d]", q->name, d);
            return -1;
        }
        if (value < 1)
            return report_fail(r,
                               "%s.shape[%d] is %lld here: a buffer has at least one "
                               "element",
                               q->name, d, (long long)value);
        e.dim[d] = (uint64_t)value;
        if (__builtin_mul_overflow(e.count, e.dim[d], &e.count) ||
            e.count > BUFFER_BYTES_MAX / dtype_size(q->type))
            return report_fail(r, "%s is larger than 2^48 bytes here", q->name);
    }
    e.bytes = e.count * dtype_size(q->type);
    *out = e;
    return 0;
}

int
problem_gen(const struct problem *p, const struct test_case *t, int param,
            struct gen *out, struct report *r)
{
    struct extent extent;

    if (problem_extent(p, t, param, &extent, r) != 0)
        return -1;
    return values_resolve(p, t, param, &extent, out, r);
}

enum value_source
problem_value_source(const struct problem *p, const struct test_case *t, int param)
{
    return values_source(p, t, param);
}

bool
problem_uses_inputs_c(const struct problem *p, const struct test_case *t)
{
    for (int i = 0; i < p->param_count; i++) {
        if ((p->param[i].dir == DIR_IN || p->param[i].dir == DIR_INOUT) &&
            values_source(p, t, i) == VALUE_SOURCE_FILE)
            return true;
    }
    return false;
}

int
problem_make(const struct problem *p, const struct test_case *t, int param, uint64_t seed,
             void *dst, struct report *r)
{
    return values_make(p, t, param, seed, dst, r);
}

uint64_t
problem_scalar_bits(const struct problem *p, const struct test_case *t, int param)
{
    const double value = t->scalar[param];
    const float narrow = (float)value;
    uint64_t bits = 0;

    switch (p->param[param].type) {
    case DTYPE_F32:
        memcpy(&bits, &narrow, sizeof narrow); /* little-endian: the low 4 bytes */
        return bits;
    case DTYPE_F64:
        memcpy(&bits, &value, sizeof value);
        return bits;
    default:
        return t->exact[param];
    }
}

/* problem_verify() has evaluated both expressions at the benchmarks' sizes. At other
 * sizes one may fail, as a division by zero does at N = 1; then the work is not known,
 * and 0. */
static double
problem_work(const struct expr *e, const struct test_case *t)
{
    double value;

    return e != NULL && expr_real(e, t->scalar, &value, NULL) == 0 ? value : 0;
}

uint64_t
problem_buffer_bytes(const struct problem *p, const struct test_case *t)
{
    struct report r = {0};
    struct extent extent = {0};
    uint64_t bytes = 0;

    for (int i = 0; i < p->param_count; i++) {
        if (p->param[i].dir == DIR_SCALAR)
            continue;
        if (problem_extent(p, t, i, &extent, &r) != 0)
            die(4, "%s", r.text); /* problem_load has looked at all shapes */
        bytes += extent.bytes;
    }
    return bytes;
}

double
problem_work_bytes(const struct problem *p, const struct test_case *t)
{
    return problem_work(p->work_bytes, t);
}

double
problem_work_flops(const struct problem *p, const struct test_case *t)
{
    return problem_work(p->work_flops, t);
}

char *
problem_sizes_text(const struct problem *p, const struct test_case *t)
{
    struct buf out = {0};

    for (int i = 0; i < p->param_count; i++) {
        if (p->param[i].dir != DIR_SCALAR)
            continue;
        if (dtype_class(p->param[i].type) == CLASS_FLOAT)
            buf_printf(&out, "%s%s=%.7g", out.len == 0 ? "" : ", ", p->param[i].name,
                       t->scalar[i]);
        else
            buf_printf(&out,
                       dtype_class(p->param[i].type) == CLASS_SIGNED ? "%s%s=%" PRId64
                                                                     : "%s%s=%" PRIu64,
                       out.len == 0 ? "" : ", ", p->param[i].name, t->exact[i]);
    }
    return buf_take(&out);
}

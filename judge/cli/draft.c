/* Writes problem.json, statement.md and reference.c of a new problem from its
 * signature. The sizes of its tests and benchmarks are searched for by evaluating the
 * spec itself. */
#include "cli/draft.h"

#include "base/json.h"
#include "problem/problem.h"
#include "problem/spec.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least bytes of all buffers of a benchmark together. On a GPU they keep an H200's
 * memory busy for a millisecond. On emu they are some hundred thousand elements. */
#define CUDA_BYTES 4.3e9
#define EMU_BYTES 2e6
#define LARGE_BYTES 2e5 /* of the largest test */
#define ROUNDS_MAX 200
#define SAMPLE_ELEMENTS_MAX 64

/* --- the parameters ----------------------------------------------------------------- */

static bool
is_whole_scalar(const struct signature_param *p)
{
    return !p->pointer && dtype_class(p->type) != CLASS_FLOAT;
}

int
draft_fill_extents(struct signature *s)
{
    int only = -1, wholes = 0;

    for (int i = 0; i < s->count; i++) {
        if (is_whole_scalar(&s->param[i])) {
            only = i;
            wholes++;
        }
    }
    for (int i = 0; i < s->count; i++) {
        struct signature_param *p = &s->param[i];

        if (!p->pointer || p->rank > 0)
            continue;
        if (wholes != 1)
            return i;
        p->extent[p->rank++] = xstrdup(s->param[only].name);
    }
    return -1;
}

/* The direction of a parameter. Where the signature has no const, every buffer is
 * inout. */
static const char *
draft_direction(const struct signature *s, const struct signature_param *p)
{
    bool any_const = false;

    for (int i = 0; i < s->count; i++)
        any_const = any_const || (s->param[i].pointer && s->param[i].is_const);
    if (!p->pointer)
        return "scalar";
    return p->is_const ? "in" : any_const ? "out" : "inout";
}

/* Does an extent name this scalar? Then it is a size, which has bounds and many
 * values. */
static bool
draft_is_size(const struct signature *s, const struct signature_param *scalar)
{
    const size_t len = strlen(scalar->name);

    for (int i = 0; i < s->count && is_whole_scalar(scalar); i++) {
        for (int k = 0; k < s->param[i].rank; k++) {
            const char *text = s->param[i].extent[k], *at = text;

            while ((at = strstr(at, scalar->name)) != NULL) {
                const bool begins =
                    at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');

                if (begins && !isalnum((unsigned char)at[len]) && at[len] != '_')
                    return true;
                at += len;
            }
        }
    }
    return false;
}

static int
count_sizes(const struct signature *s)
{
    int count = 0;

    for (int i = 0; i < s->count; i++)
        count += draft_is_size(s, &s->param[i]);
    return count;
}

static void
add_string(struct buf *out, const char *text)
{
    cJSON *item = cJSON_CreateString(text);
    char *quoted = cJSON_PrintUnformatted(item);

    if (quoted == NULL)
        die(4, "out of memory");
    buf_puts(out, quoted);
    free(quoted);
    cJSON_Delete(item);
}

static void
draft_add_param(struct buf *out, const struct signature *s,
                const struct signature_param *p)
{
    const char *dir = draft_direction(s, p);

    buf_printf(out, "    {\"name\": \"%s\", \"type\": \"%s\", \"dir\": \"%s\"", p->name,
               dtype_name(p->type), dir);
    for (int k = 0; k < p->rank; k++) {
        const bool bare = strspn(p->extent[k], "0123456789") == strlen(p->extent[k]);

        buf_puts(out, k == 0 ? ", \"shape\": [" : ", ");
        if (bare)
            buf_puts(out, p->extent[k]);
        else
            add_string(out, p->extent[k]);
    }
    buf_puts(out, p->rank > 0 ? "]" : "");
    if (draft_is_size(s, p))
        buf_puts(out, ", \"min\": 1, \"max\": 2147483647");
    if (p->pointer && strcmp(dir, "out") != 0)
        buf_printf(out, ",\n     \"values\": %s",
                   dtype_class(p->type) == CLASS_FLOAT ? "{\"uniform\": [-10, 10]}"
                   : dtype_class(p->type) == CLASS_UNSIGNED
                       ? "{\"integers\": [0, 100]}"
                       : "{\"integers\": [-100, 100]}");
    buf_puts(out, "}");
}

/* --- sizes -------------------------------------------------------------------------- */

/* A value for every scalar. Sizes differ between tests; all others have one small
 * value. */
struct sizes {
    double value[PROBLEM_PARAMS_MAX];
};

static void
add_scalars(struct buf *out, const struct signature *s, const struct sizes *sizes)
{
    const char *comma = "";

    for (int i = 0; i < s->count; i++) {
        if (s->param[i].pointer)
            continue;
        buf_printf(out, "%s\"%s\": %.17g", comma, s->param[i].name, sizes->value[i]);
        comma = ", ";
    }
}

/* The values where the k-th size is list[(k + turn) % count], and other scalars are 2. */
static struct sizes
sizes_from(const struct signature *s, const int *list, int count, int turn)
{
    struct sizes sizes = {0};
    int k = turn;

    for (int i = 0; i < s->count; i++)
        sizes.value[i] = draft_is_size(s, &s->param[i]) ? list[k++ % count] : 2;
    return sizes;
}

static void
ignore_error(void *context, const char *where, const char *sentence)
{
    report_fail(context, "%s: %s", where, sentence);
}

/* How many bytes all buffers have at these sizes, which the spec itself is evaluated for.
 * Negative where the sizes make no sense. */
static double
bytes_at(const struct draft *d, const struct sizes *sizes, struct report *r)
{
    struct buf text = {0};
    struct problem *p;
    double bytes = 0;
    int errors = 0;

    buf_puts(&text, "{\"format\": 1, \"title\": \"x\", \"difficulty\": \"easy\", "
                    "\"limits\": {\"memory_mib\": 1048576}, \"params\": [\n");
    for (int i = 0; i < d->signature.count; i++) {
        buf_puts(&text, i > 0 ? ",\n" : "");
        draft_add_param(&text, &d->signature, &d->signature.param[i]);
    }
    buf_puts(&text, "], \"compare\": {\"mode\": \"exact\"}, \"tests\": [{");
    add_scalars(&text, &d->signature, sizes);
    buf_puts(&text, "}], \"benchmark\": {\"cuda\": {");
    add_scalars(&text, &d->signature, sizes);
    buf_puts(&text, "}, \"emu\": {");
    add_scalars(&text, &d->signature, sizes);
    buf_puts(&text, "}}}");
    p = problem_parse(d->slug, NULL, text.data, text.len, ignore_error, r, &errors);
    buf_free(&text);
    if (p == NULL)
        return -1;
    for (int i = 0; i < p->param_count; i++) {
        struct extent e;

        if (p->param[i].dir == DIR_SCALAR)
            continue;
        if (problem_extent(p, &p->test[0], i, &e, r) != 0)
            bytes = NAN;
        else
            bytes += (double)e.bytes;
    }
    problem_free(p);
    return bytes >= 0 ? bytes : -1;
}

/* Lets the sizes grow in turn until all buffers together have at least `least` bytes.
 * With `odd` the sizes are such that no tile divides them. */
static int
draft_grow(const struct draft *d, double least, bool odd, struct sizes *out,
           struct report *r)
{
    static const int start[] = {16};
    const struct signature *s = &d->signature;
    struct sizes sizes = sizes_from(s, start, 1, 0);
    int at = 0;

    for (int round = 0; round < ROUNDS_MAX; round++) {
        double bytes = bytes_at(d, &sizes, r);

        if (bytes < 0)
            return -1;
        if (bytes >= least || count_sizes(s) == 0)
            break;
        while (!draft_is_size(s, &s->param[at % s->count]))
            at++;
        /* Doubling may go far beyond. Near the end a size grows by a quarter instead. */
        sizes.value[at % s->count] =
            ceil(sizes.value[at % s->count] * (bytes * 2 < least ? 2 : 1.25));
        at++;
    }
    for (int i = 0; odd && i < s->count; i++)
        if (draft_is_size(s, &s->param[i]))
            sizes.value[i] += 1 - fmod(sizes.value[i], 2) + 2 * (i % 3);
    *out = sizes;
    return 0;
}

/* --- the sample --------------------------------------------------------------------- */

static struct sizes
sample_sizes(const struct signature *s)
{
    static const int one[] = {4}, several[] = {2, 3, 4};

    return count_sizes(s) == 1 ? sizes_from(s, one, 1, 0) : sizes_from(s, several, 3, 0);
}

/* Element i of an input of the sample test. The elements are small whole numbers, neither
 * sorted nor all different, within the bounds that draft_add_param() writes. */
static int
sample_value(const struct signature_param *p, uint64_t i)
{
    static const int values[] = {3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, 8};
    const int v = values[i % (sizeof values / sizeof *values)];

    return dtype_class(p->type) == CLASS_UNSIGNED ? abs(v) : v;
}

/* The extents of one parameter in the sample test, for which a spec of its own is
 * evaluated. */
static int
sample_extent(const struct draft *d, int param, struct extent *out)
{
    const struct sizes sizes = sample_sizes(&d->signature);
    const struct signature *s = &d->signature;
    struct expr_name names[PROBLEM_PARAMS_MAX];
    struct arena *arena = arena_new();
    int count = 0, rc = 0;

    for (int i = 0; i < s->count; i++)
        if (is_whole_scalar(&s->param[i]))
            names[count++] =
                (struct expr_name){.name = s->param[i].name, .index = i, .whole = true};
    *out = (struct extent){.rank = s->param[param].rank, .count = 1};
    for (int k = 0; rc == 0 && k < out->rank; k++) {
        struct expr *e =
            expr_parse(arena, s->param[param].extent[k], EXPR_WHOLE, names, count, NULL);
        int64_t value = 0;

        rc = e != NULL && expr_whole(e, sizes.value, &value, NULL) == 0 && value > 0 ? 0
                                                                                     : -1;
        out->dim[k] = (uint64_t)value;
        out->count *= out->dim[k];
    }
    arena_free(arena);
    return rc;
}

static void
draft_add_values(struct buf *out, const struct signature_param *p, const struct extent *e,
                 int dim, uint64_t *next)
{
    buf_puts(out, "[");
    for (uint64_t i = 0; i < e->dim[dim]; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        if (dim + 1 < e->rank)
            draft_add_values(out, p, e, dim + 1, next);
        else
            buf_printf(out, "%d", sample_value(p, (*next)++));
    }
    buf_puts(out, "]");
}

static void
add_sample(struct buf *out, const struct draft *d)
{
    const struct sizes sizes = sample_sizes(&d->signature);
    const struct signature *s = &d->signature;
    const char *comma = "";

    buf_puts(out, "    {");
    add_scalars(out, s, &sizes);
    buf_puts(out, ", \"sample\": true, \"about\": \"the statement's example\",\n"
                  "     \"values\": {");
    for (int i = 0; i < s->count; i++) {
        struct extent e;
        uint64_t next = (uint64_t)i;

        if (!s->param[i].pointer ||
            strcmp(draft_direction(s, &s->param[i]), "out") == 0 ||
            sample_extent(d, i, &e) != 0)
            continue;
        buf_printf(out, "%s\"%s\": {\"list\": ", comma, s->param[i].name);
        draft_add_values(out, &s->param[i], &e, 0, &next);
        buf_puts(out, "}");
        comma = ", ";
    }
    buf_puts(out, "}}");
}

/* --- problem.json ------------------------------------------------------------------- */

static void
add_test(struct buf *out, const struct signature *s, const struct sizes *sizes,
         const char *about, const char *value)
{
    const char *comma = "";

    buf_puts(out, ",\n    {");
    add_scalars(out, s, sizes);
    if (about != NULL)
        buf_printf(out, ", \"about\": \"%s\"", about);
    if (value != NULL)
        buf_puts(out, ", \"values\": {");
    for (int i = 0; value != NULL && i < s->count; i++) {
        if (!s->param[i].pointer || strcmp(draft_direction(s, &s->param[i]), "out") == 0)
            continue;
        buf_printf(out, "%s\"%s\": %s", comma, s->param[i].name, value);
        comma = ", ";
    }
    buf_puts(out, value != NULL ? "}}" : "}");
}

static int
add_tests(struct buf *out, const struct draft *d, struct report *r)
{
    static const int tiny[][1] = {{1}, {2}, {3}};
    static const int mixed[] = {4, 1, 3}, odd[] = {31, 17, 5}, tiles[] = {32, 65, 16};
    const struct signature *s = &d->signature;
    struct sizes sizes;

    add_sample(out, d);
    for (int i = 0; i < 3; i++) {
        sizes = sizes_from(s, tiny[i], 1, 0);
        add_test(out, s, &sizes, NULL, NULL);
    }
    for (int turn = 0; turn < 3; turn++) {
        if (count_sizes(s) > 1) {
            sizes = sizes_from(s, mixed, 3, turn);
            add_test(out, s, &sizes, NULL, NULL);
        }
        sizes = sizes_from(s, odd, 3, turn);
        add_test(out, s, &sizes, NULL, NULL);
    }
    sizes = sizes_from(s, tiles, 3, 0);
    add_test(out, s, &sizes, NULL, NULL);
    add_test(out, s, &sizes, "all zeros", "{\"constant\": 0}");
    add_test(out, s, &sizes, "all equal", "{\"constant\": 3}");
    if (draft_grow(d, LARGE_BYTES, true, &sizes, r) != 0)
        return -1;
    add_test(out, s, &sizes, NULL, NULL);
    return 0;
}

static int
add_benchmarks(struct buf *out, const struct draft *d, struct report *r)
{
    struct sizes cuda, emu;

    if (draft_grow(d, CUDA_BYTES, false, &cuda, r) != 0 ||
        draft_grow(d, EMU_BYTES, false, &emu, r) != 0)
        return -1;
    buf_puts(out, "\n  ],\n  \"benchmark\": {\n    \"cuda\": {");
    add_scalars(out, &d->signature, &cuda);
    buf_puts(out, "},\n    \"emu\": {");
    add_scalars(out, &d->signature, &emu);
    buf_puts(out, "}\n  },\n");
    return 0;
}

/* Adds "work": every buffer is read or written once, and an inout buffer both. */
static void
add_work(struct buf *out, const struct signature *s)
{
    const char *plus = "";

    buf_puts(out, "  \"work\": {\"bytes\": \"");
    for (int i = 0; i < s->count; i++) {
        const struct signature_param *p = &s->param[i];
        const size_t times = strcmp(draft_direction(s, p), "inout") == 0 ? 2 : 1;

        if (!p->pointer)
            continue;
        buf_printf(out, "%s%zu", plus, times * dtype_size(p->type));
        for (int k = 0; k < p->rank; k++) {
            const bool simple = strpbrk(p->extent[k], "+-/% ") == NULL;

            buf_printf(out, simple ? "*%s" : "*(%s)", p->extent[k]);
        }
        plus = " + ";
    }
    buf_puts(out, "\"}\n}\n");
}

int
draft_spec(const struct draft *d, struct buf *out, struct report *r)
{
    const struct signature *s = &d->signature;
    bool real = false;

    buf_puts(out, "{\n  \"format\": 1,\n  \"title\": ");
    add_string(out, d->title);
    buf_printf(out, ",\n  \"difficulty\": \"%s\",\n  \"tags\": [],\n  \"params\": [\n",
               d->difficulty);
    for (int i = 0; i < s->count; i++) {
        const char *dir = draft_direction(s, &s->param[i]);

        buf_puts(out, i > 0 ? ",\n" : "");
        draft_add_param(out, s, &s->param[i]);
        real = real || ((strcmp(dir, "out") == 0 || strcmp(dir, "inout") == 0) &&
                        dtype_class(s->param[i].type) == CLASS_FLOAT);
    }
    buf_printf(out, "\n  ],\n  \"compare\": %s,\n  \"tests\": [\n",
               real ? "{\"mode\": \"close\", \"atol\": 1e-5, \"rtol\": 1e-5}"
                    : "{\"mode\": \"exact\"}");
    if (add_tests(out, d, r) != 0 || add_benchmarks(out, d, r) != 0)
        return -1;
    add_work(out, s);
    return 0;
}

/* --- statement.md, reference.c ------------------------------------------------------ */

static void
draft_add_shown(struct buf *out, const struct draft *d, int i, bool known)
{
    const struct signature_param *p = &d->signature.param[i];
    uint64_t next = (uint64_t)i;
    struct extent e;

    buf_printf(out, "    %s = ", p->name);
    if (known && sample_extent(d, i, &e) == 0)
        draft_add_values(out, p, &e, 0, &next);
    else
        buf_puts(out, "?");
    buf_puts(out, "\n");
}

void
draft_statement(const struct draft *d, struct buf *out)
{
    const struct sizes sizes = sample_sizes(&d->signature);
    const struct signature *s = &d->signature;

    buf_printf(out,
               "# %s\n\n" DRAFT_SENTENCE ", and give the formula:\n\n"
               "    ...\n\n## Example\n\n",
               d->title);
    for (int i = 0; i < s->count; i++)
        if (!s->param[i].pointer)
            buf_printf(out, "    %s = %.17g\n", s->param[i].name, sizes.value[i]);
    for (int i = 0; i < s->count; i++)
        if (s->param[i].pointer && strcmp(draft_direction(s, &s->param[i]), "out") != 0)
            draft_add_shown(out, d, i, true);
    for (int i = 0; i < s->count; i++)
        if (s->param[i].pointer && strcmp(draft_direction(s, &s->param[i]), "in") != 0)
            draft_add_shown(out, d, i, false);
    buf_puts(out, "\n## Constraints\n\n");
    for (int i = 0; i < s->count; i++)
        if (draft_is_size(s, &s->param[i]))
            buf_printf(out, "- 1 <= %s <= 2,147,483,647\n", s->param[i].name);
    for (int i = 0; i < s->count; i++)
        if (s->param[i].pointer && strcmp(draft_direction(s, &s->param[i]), "out") == 0)
            buf_printf(out,
                       "- `%s` is not initialized when `solve` is called: write every "
                       "element.\n",
                       s->param[i].name);
    for (int i = 0; i < s->count; i++)
        if (s->param[i].pointer && strcmp(draft_direction(s, &s->param[i]), "in") == 0)
            buf_printf(out, "- Leave `%s` as it is.\n", s->param[i].name);
}

void
draft_reference(const struct draft *d, struct buf *out)
{
    const struct signature *s = &d->signature;

    buf_puts(out,
             "/* The right answer, in double precision or exact integers, rounded once "
             "at the end. */\nvoid\nsolve(");
    for (int i = 0; i < s->count; i++)
        buf_printf(out, "%s%s%s %s%s", i > 0 ? ", " : "",
                   s->param[i].pointer &&
                           strcmp(draft_direction(s, &s->param[i]), "in") == 0
                       ? "const "
                       : "",
                   dtype_ctype(s->param[i].type), s->param[i].pointer ? "*" : "",
                   s->param[i].name);
    buf_puts(out, ")\n{\n}\n");
}

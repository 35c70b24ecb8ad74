#include "arbiter/soundness/mutants.h"

#include "arbiter/judging/outputs.h"
#include "numbers/compare_fn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- which there are ---------------------------------------------------------------- */

static bool
is_float(const struct param *p)
{
    return dtype_class(p->type) == CLASS_FLOAT;
}

int
mutant_fewer_bits(const struct problem *p)
{
    int found = -1;

    for (int i = 0; i < p->param_count; i++) {
        if (!param_is_buffer(&p->param[i]) || !is_float(&p->param[i]))
            continue;
        if (dtype_size(p->param[i].type) < sizeof(float))
            return -1;
        if (p->param[i].type == DTYPE_F32)
            found = ACCEPT_FP16;
        else if (found < 0)
            found = ACCEPT_FP32;
    }
    return found;
}

static void
add_mutant(struct mutant *list, int *count, enum mutant_kind kind, int output, int input,
           int place)
{
    if (*count < MUTANTS_MAX)
        list[(*count)++] = (struct mutant){
            .kind = kind, .output = output, .input = input, .place = place};
}

/* Have two parameters as many elements? The benchmark's sizes decide, because at a size
 * such as 1 many shapes are the same. */
static bool
same_count(const struct problem *p, int a, int b)
{
    struct extent x, y;

    return problem_extent(p, &p->benchmark_emu, a, &x, NULL) == 0 &&
           problem_extent(p, &p->benchmark_emu, b, &y, NULL) == 0 && x.count == y.count;
}

static void
add_of_output(const struct problem *p, int output, struct mutant *list, int *count)
{
    add_mutant(list, count, MUTANT_ZEROS, output, -1, 0);
    add_mutant(list, count, MUTANT_CONSTANT, output, -1, 0);
    for (int i = 0; i < p->param_count; i++)
        if (param_is_input(&p->param[i]) && p->param[i].type == p->param[output].type &&
            same_count(p, i, output))
            add_mutant(list, count, MUTANT_COPY, output, i, 0);
    for (int place = 0; place < 3; place++)
        add_mutant(list, count, MUTANT_ELEMENT, output, -1, place);
    if (is_float(&p->param[output]))
        add_mutant(list, count, MUTANT_NAN, output, -1, 0);
}

struct mutant *
mutants_of(const struct problem *p, int *count)
{
    struct mutant *list = xcalloc(MUTANTS_MAX, sizeof *list);

    *count = 0;
    for (int i = 0; i < p->param_count; i++)
        if (param_is_output(&p->param[i]))
            add_of_output(p, i, list, count);
    if (mutant_fewer_bits(p) >= 0)
        add_mutant(list, count, MUTANT_FEWER_BITS, -1, -1, 0);
    return list;
}

char *
mutant_text(const struct mutant *s, const struct problem *p)
{
    static const char *const places[] = {"first", "middle", "last"};
    const char *name = s->output >= 0 ? p->param[s->output].name : "";

    switch (s->kind) {
    case MUTANT_ZEROS:
        return xasprintf("%s of all zeros", name);
    case MUTANT_CONSTANT:
        return xasprintf("%s with its mean in every element", name);
    case MUTANT_COPY:
        if (s->input == s->output)
            return xasprintf("%s left as it was", name);
        return xasprintf("%s as a copy of %s", name, p->param[s->input].name);
    case MUTANT_ELEMENT:
        return xasprintf("%s with a wrong %s element", name, places[s->place]);
    case MUTANT_NAN:
        return xasprintf("%s with a NaN in the middle", name);
    case MUTANT_FEWER_BITS:
        break;
    }
    return xasprintf("what is computed from inputs rounded to %s",
                     mutant_fewer_bits(p) == ACCEPT_FP16 ? "fp16" : "fp32");
}

/* --- making them -------------------------------------------------------------------- */

static double
mean_of(enum dtype type, const void *values, uint64_t count)
{
    double sum = 0;
    uint64_t finite = 0;

    for (uint64_t i = 0; i < count; i++) {
        const double v = gen_read((uint8_t)type, values, i);

        if (isfinite(v)) {
            sum += v;
            finite++;
        }
    }
    sum = finite > 0 ? sum / (double)finite : 0;
    return dtype_class(type) == CLASS_FLOAT ? sum : nearbyint(sum);
}

static int
fill_constant(struct call_set *set, int output, double value, struct report *r)
{
    const enum dtype type = set->problem->param[output].type;
    const struct extent *e = &set->extent[output];
    void *bytes = xmalloc(e->bytes);
    int rc;

    for (uint64_t i = 0; i < e->count; i++)
        gen_store((uint8_t)type, value, bytes, i);
    rc = device_write(set->device, set->copy[output], 0, e->bytes, bytes, r);
    free(bytes);
    return rc;
}

/* Stores a value that the rule does not take for `want`. It is four times the tolerance
 * away, or further if the type cannot tell so little apart. */
static void
store_clearly_wrong(const struct compare_rule *rule, const void *want, void *element)
{
    const double right = gen_read(rule->dtype, want, 0);
    double off = rule->exact ? 0 : 4 * (rule->atol + rule->rtol * fabs(right));

    if (!isfinite(right)) {
        gen_store(rule->dtype, 0, element, 0);
        return;
    }
    if (off == 0)
        off = right != 0 ? fabs(right) / 8 : 1;
    for (int i = 0; i < 64; i++, off *= 2) {
        gen_store(rule->dtype, right > 0 ? right - off : right + off, element, 0);
        if (!compare_element(rule, element, want, 0))
            return;
    }
}

/* Stores a value that hardly any answer has. It is for a checker, which may also accept
 * values near the right one. */
static void
store_absurd(enum dtype type, const void *want, void *element)
{
    const double right = gen_read((uint8_t)type, want, 0);

    if (dtype_class(type) == CLASS_FLOAT)
        gen_store((uint8_t)type, isfinite(right) ? 1e3 * (1 + fabs(right)) : 0, element,
                  0);
    else /* gen_store holds it to the type's largest value, which is no index */
        gen_store((uint8_t)type, 1e300, element, 0);
}

/* Makes element `at` of the output wrong. */
static int
spoil_one(const struct mutant *s, struct call_set *set, const char *right, uint64_t at,
          bool benchmark, struct report *r)
{
    const struct compare_rule rule = outputs_rule(set->problem, s->output, benchmark);
    const enum compare_mode mode =
        problem_tolerance(set->problem, s->output, benchmark).mode;
    const size_t size = dtype_size((enum dtype)rule.dtype);
    uint64_t element = 0;

    if (s->kind == MUTANT_NAN)
        gen_store(rule.dtype, (double)NAN, &element, 0);
    else if (mode == COMPARE_CHECKER)
        store_absurd((enum dtype)rule.dtype, right + at * size, &element);
    else
        store_clearly_wrong(&rule, right + at * size, &element);
    return device_write(set->device, set->copy[s->output], at * size, size, &element, r);
}

/* Makes one element more wrong than may be wrong, which is mostly one. */
static int
spoil_element(const struct mutant *s, struct call_set *set, const char *right,
              bool benchmark, struct report *r)
{
    const uint64_t count = set->extent[s->output].count;
    const uint64_t many =
        s->kind == MUTANT_NAN
            ? 1
            : outputs_allowed(set->problem, s->output, benchmark, count) + 1;

    for (uint64_t k = 0; k < many; k++) {
        const uint64_t at = s->kind == MUTANT_NAN || s->place == 1
                                ? (count / 2 + k) % count
                            : s->place == 0 ? k
                                            : count - 1 - k;

        if (spoil_one(s, set, right, at, benchmark, r) != 0)
            return -1;
    }
    return 0;
}

static int
copy_outputs(struct call_set *set, const struct call_set *from, struct report *r)
{
    for (int i = 0; i < set->problem->param_count; i++)
        if (param_is_output(&set->problem->param[i]) &&
            device_copy(set->device, set->copy[i], from->buffer[i], r) != 0)
            return -1;
    return 0;
}

int
mutant_make(const struct mutant *s, struct call_set *set, const struct call_set *inputs,
            const struct answer *a, bool benchmark, bool *applies, struct report *r)
{
    const int output = s->output >= 0 ? s->output : 0;
    const struct extent *e = &set->extent[output];
    const enum dtype type = set->problem->param[output].type;
    const void *right = device_view(a->known->buffer[output]);

    *applies = s->kind != MUTANT_FEWER_BITS;
    /* A single element is its own mean, and is often an input's element too. */
    if ((s->kind == MUTANT_CONSTANT || s->kind == MUTANT_COPY) && e->count < 2)
        *applies = false;
    if (s->kind == MUTANT_COPY && inputs->extent[s->input].count != e->count)
        *applies = false;
    if (!*applies)
        return 0;
    if (copy_outputs(set, a->known, r) != 0)
        return -1;
    switch (s->kind) {
    case MUTANT_ZEROS:
        return device_zero(set->device, set->copy[output], r);
    case MUTANT_CONSTANT:
        return fill_constant(set, output, mean_of(type, right, e->count), r);
    case MUTANT_COPY:
        return device_copy(set->device, set->copy[output], inputs->buffer[s->input], r);
    case MUTANT_ELEMENT:
    case MUTANT_NAN:
        return spoil_element(s, set, right, benchmark, r);
    case MUTANT_FEWER_BITS:
        break;
    }
    return report_fail(r, "this mutant is made by the reference");
}

/* --- fewer bits --------------------------------------------------------------------- */

/* Rounds to the narrower type. A value beyond its range becomes its largest number, since
 * an infinity would be too easy to find. */
static double
round_value(enum dtype type, double value)
{
    const double most = type == DTYPE_F32 ? 65504 : (double)3.4028234663852886e38f;
    uint32_t half = 0;
    float narrow;

    if (isfinite(value) && fabs(value) > most)
        return copysign(most, value);
    if (type == DTYPE_F32) {
        gen_store(DTYPE_F16, value, &half, 0);
        return gen_read(DTYPE_F16, &half, 0);
    }
    narrow = (float)value;
    return (double)narrow;
}

/* Writes the rounded values of `from`, which are of type float32 or float64, to `to`.
 * Adds to *changed how many differ. */
static int
round_buffer(struct device *d, enum dtype type, struct device_buffer *to,
             const struct device_buffer *from, const struct extent *e, uint64_t *changed,
             struct report *r)
{
    const void *view = device_view(from);
    void *bytes = xmalloc(e->bytes);
    int rc;

    for (uint64_t i = 0; i < e->count; i++) {
        const double value = gen_read((uint8_t)type, view, i);
        const double rounded = round_value(type, value);

        *changed += rounded != value && !isnan(value);
        gen_store((uint8_t)type, rounded, bytes, i);
    }
    rc = device_write(d, to, 0, e->bytes, bytes, r);
    free(bytes);
    return rc;
}

static bool
is_rounded(const struct problem *p, const struct param *q)
{
    return q->type == (mutant_fewer_bits(p) == ACCEPT_FP16 ? DTYPE_F32 : DTYPE_F64);
}

int
mutant_round_inputs(void *context, struct call_set *set, struct report *r)
{
    uint64_t *changed = context;

    for (int i = 0; i < set->problem->param_count; i++) {
        const struct param *q = &set->problem->param[i];

        if (param_is_input(q) && is_rounded(set->problem, q) &&
            round_buffer(set->device, q->type, set->buffer[i], set->buffer[i],
                         &set->extent[i], changed, r) != 0)
            return -1;
    }
    return 0;
}

int
mutant_round_outputs(struct call_set *set, const struct call_set *from, uint64_t *changed,
                     struct report *r)
{
    if (copy_outputs(set, from, r) != 0)
        return -1;
    for (int i = 0; i < set->problem->param_count; i++) {
        const struct param *q = &set->problem->param[i];

        if (param_is_output(q) && is_rounded(set->problem, q) &&
            round_buffer(set->device, q->type, set->copy[i], from->buffer[i],
                         &set->extent[i], changed, r) != 0)
            return -1;
    }
    return 0;
}

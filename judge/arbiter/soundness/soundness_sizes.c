/* Checks which sizes are tested, and whether the benchmarks are work worth timing. */
#include "arbiter/measuring/roofline.h"
#include "arbiter/soundness/soundness.h"

#include <math.h>
#include <stdlib.h>

#define GIB 1073741824.0
#define MEMORY_USUAL                                                                     \
    (16 * GIB)           /* the memory of a GPU that suffices for most problems          \
                          */
#define BENCHMARK_NS 1e6 /* the least time of a benchmark on an H200, by its roofline */
/* Bounds for the benchmark on emu. Less work than both minima times nothing but launches,
 * and for more than one maximum people would wait. */
#define EMU_BYTES_MIN 65536.0
#define EMU_FLOPS_MIN 1e5
#define EMU_BYTES_MAX (512.0 * 1024 * 1024)
#define EMU_FLOPS_MAX 4e9

/* --- sizes -------------------------------------------------------------------------- */

static bool
same_extents(const struct problem *p, const struct test_case *a,
             const struct test_case *b)
{
    for (int i = 0; i < p->param_count; i++) {
        struct extent x, y;

        if (p->param[i].dir == DIR_SCALAR)
            continue;
        if (problem_extent(p, a, i, &x, NULL) != 0 ||
            problem_extent(p, b, i, &y, NULL) != 0 || x.count != y.count)
            return false;
    }
    return true;
}

/* Does a buffer's size depend on this scalar? */
static bool
is_size(const struct problem *p, int scalar)
{
    struct test_case other = p->benchmark_emu;

    if (p->param[scalar].dir != DIR_SCALAR ||
        dtype_class(p->param[scalar].type) == CLASS_FLOAT)
        return false;
    /* The change is large, because a change by one may not show: (N + 31) / 32. */
    other.scalar[scalar] = 2 * other.scalar[scalar] + 64;
    other.exact[scalar] = 2 * other.exact[scalar] + 64;
    return !same_extents(p, &p->benchmark_emu, &other);
}

static bool
some_test_has(const struct problem *p, int scalar, double value)
{
    for (int t = 0; t < p->test_count; t++)
        if (p->test[t].scalar[scalar] == value)
            return true;
    return false;
}

static bool
has_odd(const struct problem *p, int scalar)
{
    for (int t = 0; t < p->test_count; t++)
        if (p->test[t].scalar[scalar] > 1 && fmod(p->test[t].scalar[scalar], 2) == 1)
            return true;
    return false;
}

/* Adds a finding for each of 1, 2 and 3 that is no size in any test. Adds one for each
 * size that is never an odd number above 1. What the bounds forbid need not be tested. */
void
soundness_sizes(struct soundness *s)
{
    const struct problem *p = s->problem;
    struct findings found = {0};

    for (int tiny = 1; tiny <= 3; tiny++) {
        bool allowed = false, tested = false;

        for (int i = 0; i < p->param_count; i++) {
            if (!is_size(p, i) || p->param[i].min > tiny || p->param[i].max < tiny)
                continue;
            allowed = true;
            tested = tested || some_test_has(p, i, tiny);
        }
        if (allowed && !tested)
            findings_add(&found, "problem.json: $.tests",
                         "no size is %d in any test: add one, or say why not in "
                         "$.accepts.sizes",
                         tiny);
    }
    for (int i = 0; i < p->param_count; i++)
        if (is_size(p, i) && p->param[i].min < p->param[i].max && p->param[i].max >= 3 &&
            !has_odd(p, i))
            findings_add(&found, "problem.json: $.tests",
                         "%s is never an odd number above 1: add such a test, or say why "
                         "not in $.accepts.sizes",
                         p->param[i].name);
    if (found.count > 0 && !soundness_accepts(s, ACCEPT_SIZES))
        for (int i = 0; i < found.count; i++)
            findings_add(&s->findings, found.list[i].where, "%s", found.list[i].sentence);
    findings_free(&found);
}

/* --- memory ------------------------------------------------------------------------- */

/* Adds a finding if timing on a GPU needs too much memory. It needs at least the call's
 * buffers and private copies of the outputs, and the reference's buffers as well. */
static void
check_memory(struct soundness *s)
{
    const struct problem *p = s->problem;
    const double limit =
        p->memory_limit > MEMORY_USUAL ? (double)p->memory_limit : MEMORY_USUAL;
    double bytes = 0;

    for (int i = 0; i < p->param_count; i++) {
        struct extent e;

        if (p->param[i].dir == DIR_SCALAR || p->param[i].space != SPACE_DEVICE ||
            problem_extent(p, &p->benchmark_cuda, i, &e, NULL) != 0)
            continue;
        bytes += (p->param[i].dir == DIR_IN ? 2 : 3) * (double)e.bytes;
    }
    if (bytes > limit)
        findings_add(&s->findings, "problem.json: $.benchmark.cuda",
                     "takes %.1f GiB of device memory with the judge's own copies, over "
                     "%.1f: make it smaller, or raise $.limits.memory_mib",
                     bytes / GIB, limit / GIB);
}

/* --- work --------------------------------------------------------------------------- */

static void
check_cuda(struct soundness *s, const struct device_rates *h200)
{
    const struct problem *p = s->problem;
    const struct work work = {.bytes = problem_work_bytes(p, &p->benchmark_cuda),
                              .flops = problem_work_flops(p, &p->benchmark_cuda),
                              .unit = p->work_unit,
                              .gpus = p->gpus};
    const double ns = limit_of(h200, &work).ns;

    if (ns >= BENCHMARK_NS || soundness_accepts(s, ACCEPT_SHORT_BENCHMARK))
        return;
    findings_add(
        &s->findings, "problem.json: $.benchmark.cuda",
        "is %.3g ms of work for an H200 by $.work (%.3g GB, %.3g GFLOP): make it "
        "at least 1 ms, or say why not in $.accepts.short_benchmark",
        ns / 1e6, work.bytes / 1e9, work.flops / 1e9);
}

static void
check_emu(struct soundness *s)
{
    const struct problem *p = s->problem;
    const double bytes = problem_work_bytes(p, &p->benchmark_emu);
    const double flops = problem_work_flops(p, &p->benchmark_emu);
    const bool small = bytes < EMU_BYTES_MIN && flops < EMU_FLOPS_MIN;
    char *bound;

    if (!small && bytes <= EMU_BYTES_MAX && flops <= EMU_FLOPS_MAX)
        return;
    if (soundness_accepts(s, ACCEPT_EMU_BENCHMARK))
        return;
    bound = small ? xasprintf("at least %.2g MB or %.4g MFLOP", EMU_BYTES_MIN / 1e6,
                              EMU_FLOPS_MIN / 1e6)
                  : xasprintf("at most %.3g MB and %.4g MFLOP", EMU_BYTES_MAX / 1e6,
                              EMU_FLOPS_MAX / 1e6);
    findings_add(&s->findings, "problem.json: $.benchmark.emu",
                 "is too %s to time on emu by $.work (%.3g MB, %.3g MFLOP): make it %s, "
                 "or say why in $.accepts.emu_benchmark",
                 small ? "little" : "much", bytes / 1e6, flops / 1e6, bound);
    free(bound);
}

int
soundness_work(struct soundness *s, struct report *r)
{
    struct device_rates rates;
    int rc;

    check_memory(s);
    if (s->problem->work_bytes == NULL && s->problem->work_flops == NULL) {
        findings_add(&s->findings, "problem.json: $",
                     "does not say what the benchmark must move and compute: add "
                     "\"work\"");
        return 0;
    }
    rc = device_rates(s->device, true, &rates, r);
    if (rc <= 0)
        return report_fail(r, "the modelled device has no rates");
    check_cuda(s, &rates);
    check_emu(s);
    return 0;
}

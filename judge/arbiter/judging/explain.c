#include "arbiter/judging/explain.h"

#include "numbers/decimal.h"
#include "numbers/gen.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers --------------------------------------------------------------- */

void
explain_number(struct buf *out, enum dtype type, const void *element)
{
    char text[DECIMAL_BYTES];

    decimal_text(type, element, text);
    buf_puts(out, text);
}

void
explain_place(struct buf *out, const char *name, const struct extent *e, uint64_t flat)
{
    uint64_t rest = flat, index[PROBLEM_RANK_MAX];

    for (int k = e->rank - 1; k >= 0; k--) {
        index[k] = rest % e->dim[k];
        rest /= e->dim[k];
    }
    buf_puts(out, name);
    for (int k = 0; k < e->rank; k++)
        buf_printf(out, "[%" PRIu64 "]", index[k]);
}

/* How near, relative to the expected value, a sum in 16 bits usually comes out. */
#define HALF_NEAR 0.05

/* --- wrong answers --------------------------------------------------------- */

static void
add_errors(struct buf *out, enum dtype type, const void *got, const void *want)
{
    double g = gen_load((uint8_t)type, got, 0), w = gen_load((uint8_t)type, want, 0);
    double error = fabs(g - w);

    if (!isfinite(g) || !isfinite(w))
        return;
    buf_printf(out, " (absolute error %.6g", error);
    if (w != 0)
        buf_printf(out, ", relative %.3g", error / fabs(w));
    buf_puts(out, ")");
}

static void
add_counts(struct buf *out, const struct mismatch *m)
{
    const struct compare_result *c = m->result;

    buf_printf(out, "; %" PRIu64 " of %" PRIu64 " element%s %s wrong", c->wrong,
               m->extent->count, m->extent->count == 1 ? "" : "s",
               c->wrong == 1 ? "is" : "are");
    if (c->wrong == 1)
        return; /* the element's own text says the rest */
    if (c->nan != 0)
        buf_printf(out, ", %" PRIu64 " of them NaN", c->nan);
    if (c->inf != 0)
        buf_printf(out, ", %" PRIu64 " of them infinite", c->inf);
    if (c->max_abs_error > 0)
        buf_printf(out, ", the largest absolute error is %.6g", c->max_abs_error);
}

/* What a wrong element, which held random bits before the call, shows about the call. */
enum trace {
    TRACE_NONE,
    TRACE_UNTOUCHED, /* it still holds those bits */
    TRACE_SWALLOWED, /* the same; adding the expected value would not have changed them */
    TRACE_ADDED,     /* it is the expected value plus the number that those bits mean */
};

static uint64_t
whole_bits(enum dtype type, const void *element)
{
    uint64_t bits = 0;

    memcpy(&bits, element, dtype_size(type));
    return bits;
}

static enum trace
trace_of_whole(enum dtype type, const struct mismatch *m)
{
    const size_t size = dtype_size(type);
    uint64_t sum = whole_bits(type, m->before) + whole_bits(type, m->want);

    if (memcmp(m->got, m->before, size) == 0)
        return memcmp(&sum, m->before, size) == 0 ? TRACE_SWALLOWED : TRACE_UNTOUCHED;
    return memcmp(&sum, m->got, size) == 0 ? TRACE_ADDED : TRACE_NONE;
}

static enum trace
trace_of_real(enum dtype type, const struct mismatch *m)
{
    double was = gen_load((uint8_t)type, m->before, 0);
    double got = gen_load((uint8_t)type, m->got, 0);
    double want = gen_load((uint8_t)type, m->want, 0);
    uint64_t sum;

    if (memcmp(m->got, m->before, dtype_size(type)) == 0) {
        gen_put((uint8_t)type, was + want, &sum, 0);
        return isnan(was) || gen_load((uint8_t)type, &sum, 0) == was ? TRACE_SWALLOWED
                                                                     : TRACE_UNTOUCHED;
    }
    /* Sums in another order differ a little. A wrong value that is just near the expected
     * one must not pass for such a sum. */
    if (fabs(was) > 0.01 * fabs(want) &&
        fabs(got - want - was) <= 0.001 * fabs(was) + 0.0001 * fabs(want))
        return TRACE_ADDED;
    return TRACE_NONE;
}

/* An element that is nearly right, beyond what one rounding does, or that is infinite: a
 * sum that is kept in 16 bits comes out so. */
static void
add_half_hint(struct buf *out, const struct mismatch *m)
{
    const enum dtype type = m->param->type;
    const double got = gen_load((uint8_t)type, m->got, 0);
    const double want = gen_load((uint8_t)type, m->want, 0);

    if ((type != DTYPE_F16 && type != DTYPE_BF16) || !isfinite(want))
        return;
    if (type == DTYPE_F16 && isinf(got))
        buf_puts(out,
                 "; float16 ends at 65504: if a part of a sum goes beyond it, add in "
                 "float and round once, at the end");
    else if (got != want && fabs(got - want) <= HALF_NEAR * fabs(want))
        buf_printf(
            out,
            "; perhaps a sum is kept in %s, which loses digits with each addition: "
            "add in float and round once, at the end",
            dtype_name(type));
}

static void
add_trace(struct buf *out, const struct mismatch *m)
{
    const enum dtype type = m->param->type;
    enum trace trace = dtype_class(type) == CLASS_FLOAT ? trace_of_real(type, m)
                                                        : trace_of_whole(type, m);

    if (trace == TRACE_NONE) {
        add_half_hint(out, m);
        return;
    }
    buf_puts(out, "; ");
    explain_place(out, m->param->name, m->extent, m->result->first);
    if (trace == TRACE_ADDED) {
        buf_puts(out, " is the expected value plus what was in memory before the call (");
        explain_number(out, type, m->before);
        buf_printf(out, "): clear %s before you add to it", m->param->name);
        return;
    }
    buf_puts(out, " holds what was in memory before the call: ");
    if (trace == TRACE_UNTOUCHED)
        buf_puts(out, "it seems that nothing is ever written there");
    else
        buf_printf(out,
                   "either nothing is written there, or what is added to it is lost "
                   "beside that value. Clear %s before you add to it",
                   m->param->name);
}

/* An output that was zero before the call, and still is where it should not be. False
 * where it is none. */
static bool
add_zero_trace(struct buf *out, const struct mismatch *m)
{
    const uint64_t zero = 0;

    if (m->param->dir != DIR_OUT || m->param->start != START_ZEROS ||
        memcmp(m->got, &zero, dtype_size(m->param->type)) != 0)
        return false;
    buf_puts(out, "; ");
    explain_place(out, m->param->name, m->extent, m->result->first);
    buf_puts(out,
             " was 0 before the call as well: perhaps nothing is ever written there");
    return true;
}

char *
explain_mismatch(const struct mismatch *m)
{
    struct buf out = {0};

    buf_printf(&out, "%s: ", m->where);
    explain_place(&out, m->param->name, m->extent, m->result->first);
    buf_puts(&out, " is ");
    explain_number(&out, m->param->type, m->got);
    buf_puts(&out, " where ");
    explain_number(&out, m->param->type, m->want);
    buf_puts(&out, " is expected");
    add_errors(&out, m->param->type, m->got, m->want);
    add_counts(&out, m);
    if (m->before != NULL)
        add_trace(&out, m);
    else if (!add_zero_trace(&out, m))
        add_half_hint(&out, m);
    return buf_take(&out);
}

/* --- samples --------------------------------------------------------------- */

void
explain_values(struct buf *out, enum dtype type, const struct extent *e,
               const void *values, uint64_t count)
{
    const uint64_t columns = e->rank == 2 ? e->dim[1] : e->count;
    const uint64_t shown = count < EXPLAIN_VALUES_MAX ? count : EXPLAIN_VALUES_MAX;
    const size_t size = dtype_size(type);

    buf_puts(out, e->rank == 2 ? "[[" : "[");
    for (uint64_t i = 0; i < shown; i++) {
        if (i > 0)
            buf_puts(out, i % columns == 0 ? "], [" : ", ");
        explain_number(out, type, (const char *)values + i * size);
    }
    if (shown < e->count)
        buf_puts(out, shown % columns == 0 ? "], ..." : ", ...");
    buf_puts(out,
             e->rank == 2 && !(shown < e->count && shown % columns == 0) ? "]]" : "]");
}

/* --- ends of processes ----------------------------------------------------- */

char *
explain_signal(int signal)
{
    static const struct {
        int signal;
        const char *meaning;
    } known[] = {
        {SIGSEGV, "the host code used an address that is not its own; device pointers "
                  "cannot be dereferenced on the host"},
        {SIGBUS, "the host code used an address that is not its own"},
        {SIGFPE, "an integer division by zero in host code"},
        {SIGABRT, "abort, a failed assert or an uncaught C++ exception in host code"},
        {SIGILL, "an illegal instruction in host code"},
        {SIGSYS, "a system call that is not allowed here"},
        {SIGKILL, "killed from outside; running out of host memory does this"},
    };
    const char *name = sigabbrev_np(signal);

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].signal == signal)
            return xasprintf("SIG%s (%s)", name, known[i].meaning);
    }
    return name != NULL ? xasprintf("SIG%s", name) : xasprintf("signal %d", signal);
}

void
explain_author_end(bool signaled, int code, char *out, size_t size)
{
    const char *name = signaled ? sigabbrev_np(code) : NULL;
    const char *meaning = "";

    if (!signaled) {
        snprintf(out, size, "exit status %d", code);
        return;
    }
    if (code == SIGSEGV || code == SIGBUS)
        meaning = ": it read or wrote outside its buffers";
    else if (code == SIGFPE)
        meaning = ": it divided a whole number by zero";
    else if (code == SIGABRT)
        meaning = ": it called abort, or an assert failed";
    snprintf(out, size, "SIG%s%s", name != NULL ? name : "?", meaning);
}

void
explain_untrusted(struct buf *out, const char *text, size_t len, size_t max)
{
    size_t n = len < max ? len : max;

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        char shown = c < 0x20 || c > 0x7e ? '?' : (char)c;

        if (c == '\n' || c == '\t')
            shown = (char)c;
        buf_add(out, &shown, 1);
    }
    if (n < len)
        buf_puts(out, "...");
}

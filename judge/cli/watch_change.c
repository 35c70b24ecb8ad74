#include "cli/watch_change.h"

#include "cli/answer.h"
#include "cli/format.h"
#include "cli/kernel_costs.h"
#include "cli/result.h"
#include "record/verdict.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static bool
change_is_accepted(const cJSON *o)
{
    return strcmp(answer_string(o, "verdict"), verdict_name(VERDICT_ACCEPTED)) == 0;
}

static const cJSON *
change_find_test(const cJSON *submission, long number)
{
    const cJSON *test;

    cJSON_ArrayForEach(
        test, answer_array(submission, "tests")) if (answer_count(test, "number") ==
                                                     number) return test;
    return NULL;
}

/* The tests that were run both times, or now, and ended otherwise than before. */
static bool
change_print_tests(const struct terminal *t, const cJSON *before, const cJSON *now)
{
    const cJSON *test;
    bool any = false;

    cJSON_ArrayForEach(test, answer_array(now, "tests"))
    {
        const cJSON *old = change_find_test(before, answer_count(test, "number"));
        const bool passes = change_is_accepted(test);

        if (old != NULL ? change_is_accepted(old) == passes : !passes)
            continue;
        terminal_print(t, passes ? STYLE_GOOD : STYLE_BAD, "  test %ld (%s) %s now\n",
                       answer_count(test, "number"), answer_string(test, "sizes"),
                       passes ? "passes" : "fails");
        any = true;
    }
    return any;
}

/* The modelled time of the kernels of a run's call, or NAN. */
static double
change_kernels_ns(const cJSON *submission)
{
    const cJSON *kernels = answer_array(kernel_costs_of(submission), "kernels"), *k;
    double ns = 0;

    cJSON_ArrayForEach(k, kernels) ns += answer_number(k, "ns");
    return ns > 0 ? ns : NAN;
}

static bool
change_print_time(const struct terminal *t, const cJSON *before, const cJSON *now)
{
    const double old_ns = change_kernels_ns(before), ns = change_kernels_ns(now);
    const bool faster = ns < old_ns;
    const double ratio = faster ? old_ns / ns : ns / old_ns;
    struct text32 was, is, times;

    if (isnan(old_ns) || isnan(ns))
        return false;
    if (ratio < SPEEDUP_SHOWN)
        return false;
    terminal_print(t, faster ? STYLE_GOOD : STYLE_BAD,
                   "  kernels take %s, %sx %s than %s before\n",
                   format_time(&is, ns, t->utf8), format_rate(&times, ratio),
                   faster ? "faster" : "slower", format_time(&was, old_ns, t->utf8));
    return true;
}

/* The call of a run whose costs are told has the benchmark's sizes. It may fail where the
 * sample tests pass. */
static bool
change_print_call(const struct terminal *t, const cJSON *before, const cJSON *now)
{
    const bool failed = answer_string(kernel_costs_of(before), "failed")[0] != '\0';
    const bool fails = answer_string(kernel_costs_of(now), "failed")[0] != '\0';

    if (failed == fails || isnan(change_kernels_ns(failed ? now : before)))
        return false;
    terminal_print(t, fails ? STYLE_BAD : STYLE_GOOD,
                   "  the call with the benchmark's sizes %s now\n",
                   fails ? "fails" : "passes");
    return true;
}

void
watch_change_print(const struct terminal *t, const cJSON *before, const cJSON *now)
{
    const char *old = answer_string(before, "verdict"),
               *verdict = answer_string(now, "verdict");
    bool any = false;

    if (before == NULL)
        return;
    terminal_print(t, STYLE_BOLD, "since the last save\n");
    if (strcmp(old, verdict) != 0) {
        terminal_print(t, verdict_style(verdict), "  %s, after %s\n",
                       verdict_shown(verdict), verdict_shown(old));
        any = true;
    }
    any = change_print_tests(t, before, now) || any;
    any = change_print_call(t, before, now) || any;
    any = change_print_time(t, before, now) || any;
    if (!any)
        terminal_print(t, STYLE_PLAIN, "  nothing that shows\n");
}

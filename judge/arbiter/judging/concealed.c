#include "arbiter/judging/concealed.h"

#include "base/buf.h"

#include <stdlib.h>

/* What each verdict says of a call. NULL: its messages are constant (trial_end.c), or it
 * is none of a call. */
static const char *const SAYS[VERDICT_COUNT] = {
    [VERDICT_WRONG_ANSWER] = "its outputs are wrong, or it has changed an input",
    [VERDICT_RUNTIME_ERROR] = "it did not end well: a fault of a kernel, a CUDA error or "
                              "the end of the program",
    [VERDICT_TIME_LIMIT] = "it used up its time, or that of all calls together",
    [VERDICT_MEMORY_LIMIT] = "it had more memory, of the device or the host, than it may "
                             "have",
};

char *
concealed_where(const struct judgement *j, const char *name, int number,
                const char *sizes)
{
    return j->job.tells_values ? xasprintf("%s %d (%s)", name, number, sizes)
                               : xasprintf("a timed call (%s)", sizes);
}

/* How a timed call differs from what the user can look at. The caller frees. */
static char *
coverage(const struct judgement *j)
{
    const struct problem *p = j->problem;
    const struct test_case *largest = &p->test[0];
    char *sizes, *text;

    if (device_clock_modelled(j->device))
        return xstrdup(
            "`warpjudge run` makes one call of this size with inputs of its own, "
            "and says what goes wrong in it. If nothing does, calls differ by "
            "their inputs and by what earlier ones have left");
    for (int i = 1; i < p->test_count; i++)
        if (problem_buffer_bytes(p, &p->test[i]) > problem_buffer_bytes(p, largest))
            largest = &p->test[i];
    sizes = problem_sizes_text(p, largest);
    text = xasprintf("All tests are right, and the largest of them has %s. A timed call "
                     "differs from them by its size, its inputs and what earlier calls "
                     "have left",
                     sizes);
    free(sizes);
    return text;
}

void
concealed_outcome(struct judgement *j, const char *where)
{
    struct outcome *o = &j->outcome;
    const char *says = SAYS[o->verdict];
    char *covers;

    if (says == NULL || j->job.tells_values)
        return;
    outcome_forget_findings(o);
    covers = coverage(j);
    free(o->message);
    o->message =
        xasprintf("%s: %s. Of timed calls no more is told, since their inputs are "
                  "secret. %s",
                  where, says, covers);
    free(covers);
}

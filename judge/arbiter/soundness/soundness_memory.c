/* Finds out which memory beside its inputs a reference's answer depends on. The same call
 * is made again and again, and each time other bytes change: those behind one buffer, or
 * those that the outputs hold before the call. */
#include "arbiter/soundness/soundness.h"

#include "base/buf.h"

#include <string.h>

#define CHANGES 8

int
soundness_different(const struct problem *p, const struct answer *a,
                    const struct answer *b)
{
    for (int i = 0; i < p->param_count; i++)
        if (param_is_buffer(&p->param[i]) &&
            memcmp(device_view(a->known->buffer[i]), device_view(b->known->buffer[i]),
                   a->known->extent[i].bytes) != 0)
            return i;
    return -1;
}

/* Makes the answer once more, and says whether it differs from `first`. */
static int
answer_differs(struct soundness *s, const struct sound_call *call,
               const struct answer *first, bool *differs, struct report *r)
{
    struct answer again = {0};
    int rc = reference_answer(s->reference, call->test, call->seed, &again, r);

    if (rc == 0)
        *differs = soundness_different(s->problem, first, &again) >= 0;
    answer_free(&again);
    return rc;
}

/* Does the answer differ once these bytes have changed? If so, they are the reason. An
 * answer may depend on a single bit, which not every change flips. */
static int
depends_on(struct soundness *s, const struct sound_call *call, const struct answer *first,
           int buffer, bool *depends, struct report *r)
{
    int rc = 0;

    *depends = false;
    for (int i = 0; rc == 0 && !*depends && i < CHANGES; i++) {
        reference_change_memory(s->reference, buffer);
        rc = answer_differs(s, call, first, depends, r);
    }
    return rc;
}

static int
find_reason(struct soundness *s, const struct sound_call *call,
            const struct answer *first, char **why, struct report *r)
{
    const struct problem *p = s->problem;
    bool differs;

    if (answer_differs(s, call, first, &differs, r) != 0)
        return -1;
    if (differs) {
        *why = xstrdup("does solve() keep something from call to call, or read a "
                       "variable that it has not set?");
        return 0;
    }
    if (depends_on(s, call, first, REFERENCE_OUTPUTS, &differs, r) != 0)
        return -1;
    if (differs) {
        *why = xstrdup("it depends on what the outputs hold before the call: does "
                       "solve() write all of them?");
        return 0;
    }
    for (int i = 0; i < p->param_count; i++) {
        if (!param_is_buffer(&p->param[i]))
            continue;
        if (depends_on(s, call, first, i, &differs, r) != 0)
            return -1;
        if (differs) {
            *why = xasprintf("solve() reads %s beyond its end", p->param[i].name);
            return 0;
        }
    }
    *why = xstrdup("does solve() write all of it, and read nothing but its inputs, none "
                   "beyond its end?");
    return 0;
}

int
soundness_why_different(struct soundness *s, const struct sound_call *call, char **why,
                        struct report *r)
{
    struct answer first = {0};
    int rc = reference_answer(s->reference, call->test, call->seed, &first, r);

    reference_hold_memory(s->reference, true);
    if (rc == 0)
        rc = find_reason(s, call, &first, why, r);
    reference_hold_memory(s->reference, false);
    answer_free(&first);
    return rc;
}

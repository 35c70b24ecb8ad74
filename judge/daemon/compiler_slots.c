#include "daemon/compiler_slots.h"

#include "daemon/attempt.h"

#include <string.h>

/* Does the compiler make or await a reference that this other one wants, too? */
static bool
wants_reference_of(const struct attempt *a, const struct attempt *other)
{
    return a->compiler != NULL && !a->reference_ready &&
           strcmp(a->problem, other->problem) == 0 &&
           strcmp(a->device, other->device) == 0;
}

/* Has the compiler nothing left to do but to wait for a reference? Of those that want it,
 * the first stands for the one that makes it, whichever that is. */
static bool
compiler_waits(const struct attempt *first, const struct attempt *a)
{
    if (!a->submission_made || a->reference_ready)
        return false;
    while (first != a && !wants_reference_of(first, a))
        first = first->next_begun;
    return first != a;
}

int
compiler_slots_used(const struct attempt *first, int slots)
{
    int working = 0, waiting_on_emu = 0;

    for (const struct attempt *a = first; a != NULL; a = a->next_begun) {
        if (a->compiler == NULL)
            continue;
        if (!compiler_waits(first, a))
            working++;
        else if (strcmp(a->device, "emu") == 0)
            waiting_on_emu++;
    }
    return working + (waiting_on_emu > slots ? waiting_on_emu - slots : 0);
}

#include "arbiter/calling/fill_watch.h"

#define FACTOR 1.2
#define SLACK_NS 500e3

bool
fill_is_slow(double usual_ns, double ns)
{
    return usual_ns > 0 && ns > FACTOR * usual_ns + SLACK_NS;
}

enum fill_finding
fill_watch_call(struct fill_watch *w, int slow)
{
    w->calls++;
    if (slow == 0)
        return FILL_FINE;
    w->discarded++;
    w->slow_calls += slow == FILL_TRIES;
    if (w->slow_calls >= FILL_SLOW_CALLS ||
        w->discarded > FILL_DISCARDED + w->calls / FILL_PART)
        return FILL_DISQUALIFY;
    return FILL_DISCARD;
}

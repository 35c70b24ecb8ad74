#include "arbiter/fill_watch.h"

#define FACTOR 1.5
#define SLACK_NS 500e3

bool
fill_is_slow(double usual_ns, double ns)
{
    return usual_ns > 0 && ns > FACTOR * usual_ns + SLACK_NS;
}

enum fill_finding
fill_watch_call(struct fill_watch *w, bool slow)
{
    if (!slow)
        return FILL_FINE;
    w->slow_calls++;
    return w->slow_calls < FILL_SLOW_CALLS ? FILL_DISCARD : FILL_DISQUALIFY;
}

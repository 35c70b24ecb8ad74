/*
 * A resident kernel betrays itself. While the arbiter fills inputs and flushes the cache,
 * nothing else should run on the card: the submission's process is blocked on a read. A
 * kernel that it left there, to watch the inputs arrive and compute before the clock
 * starts, takes turns with the arbiter's own, which then take longer. So the arbiter
 * times its own work before every call and compares it with the same work done before the
 * submission's process existed.
 *
 * A busy host delays it, too, so slow work is done again, up to FILL_TRIES times: the
 * host is not busy in all of them, a resident kernel is there in all. Pure functions.
 */
#ifndef ARBITER_FILL_WATCH_H
#define ARBITER_FILL_WATCH_H

#include <stdbool.h>

#define FILL_TRIES 3
#define FILL_SLOW_CALLS 2 /* as many disqualify; before, the call is only discarded */

struct fill_watch {
    double fill_ns, flush_ns; /* the medians of before; 0: not known, nothing is slow */
    int slow_calls;           /* so far */
};

/* Half as long again and half a millisecond more than usual: a card's time slice is
 * longer than that, its switch from one process to another much shorter. */
bool fill_is_slow(double usual_ns, double ns);

enum fill_finding { FILL_FINE, FILL_DISCARD, FILL_DISQUALIFY };

/* Of one call, whose work was slow in all tries or not. */
enum fill_finding fill_watch_call(struct fill_watch *w, bool slow);

#endif

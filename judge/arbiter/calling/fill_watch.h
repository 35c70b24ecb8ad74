/*
 * A resident kernel betrays itself. While the arbiter fills inputs and flushes the cache,
 * nothing else should run on the card, and where that takes less than a time slice (some
 * 2 ms) nothing else can, since all of it is queued at once. A kernel that is there
 * already, to watch the inputs arrive and compute before the clock starts, takes turns
 * with the arbiter's own, which then take longer. So the arbiter times its own work
 * before every call and compares it with the same work done before the submission was
 * loaded.
 *
 * A busy host delays it, too, so slow work is done again, up to FILL_TRIES times: the
 * host is not busy in all of them, a resident kernel is there in all. But one that ends
 * when it has computed is there in the first only, and has seen the inputs: so a call
 * whose work was slow once does not count either. Pure functions.
 */
#ifndef ARBITER_CALLING_FILL_WATCH_H
#define ARBITER_CALLING_FILL_WATCH_H

#include <stdbool.h>

#define FILL_TRIES 3
#define FILL_SLOW_CALLS 2 /* slow in all tries: so many disqualify */
#define FILL_DISCARDED 8  /* discarded: more than so many, */
#define FILL_PART 4       /* and than a quarter of all calls, disqualify as well */

struct fill_watch {
    int calls, discarded, slow_calls; /* so far */
};

/* usual_ns: the median of before; 0: not known, and nothing is slow. A fifth and half a
 * millisecond more than usual: a card's time slice is longer than that, its switch from
 * one process to another much shorter. The fifth is what long fills may differ by; a
 * kernel among them has no more for nothing. */
bool fill_is_slow(double usual_ns, double ns);

enum fill_finding { FILL_FINE, FILL_DISCARD, FILL_DISQUALIFY };

/* Of one call, whose work was slow in so many tries. */
enum fill_finding fill_watch_call(struct fill_watch *w, int slow);

#endif

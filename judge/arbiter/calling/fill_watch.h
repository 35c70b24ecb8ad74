/*
 * Notices a kernel that stays on the GPU after its call. Such a kernel could watch the
 * next call's inputs arrive and compute before the clock starts.
 *
 * While the arbiter fills inputs and flushes the cache, nothing else should run on the
 * GPU. All that work is queued at once. If it takes less than the GPU's time slice (some
 * 2 ms), nothing else can begin. But a kernel that is there already takes turns with the
 * arbiter's kernels, which then take longer. So the arbiter times its own work before
 * every call, and compares that with the same work before the submission was loaded.
 *
 * A busy host delays the arbiter's work, too. So slow work is done again, up to
 * FILL_TRIES times: the host is hardly busy in all tries, but a resident kernel is there
 * in all. A kernel that ends when it has computed is there in the first try only, and has
 * seen the inputs. So a call whose work was slow even once does not count. Pure
 * functions.
 */
#ifndef ARBITER_CALLING_FILL_WATCH_H
#define ARBITER_CALLING_FILL_WATCH_H

#include <stdbool.h>

#define FILL_TRIES 3
#define FILL_SLOW_CALLS 2 /* this many calls that were slow in all tries disqualify */

/* More discarded calls than FILL_DISCARDED plus one in FILL_PART of all disqualify, too.
 */
#define FILL_DISCARDED 8
#define FILL_PART 4

struct fill_watch {
    int calls, discarded, slow_calls; /* so far */
};

/* Did our own work take more than usual_ns, a fifth of that and half a millisecond?
 * usual_ns is the median from before the submission was loaded; with 0 nothing is slow. A
 * GPU's time slice is longer than half a millisecond, its switch from one process to
 * another much shorter. The fifth is what long fills differ by, so that a resident kernel
 * gains no more than that unseen. */
bool fill_is_slow(double usual_ns, double ns);

enum fill_finding { FILL_FINE, FILL_DISCARD, FILL_DISQUALIFY };

/* Adds one call, whose work was slow in `slow` tries, and says what follows. */
enum fill_finding fill_watch_call(struct fill_watch *w, int slow);

#endif

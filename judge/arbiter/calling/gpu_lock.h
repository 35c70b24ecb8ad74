/*
 * Two arbiters on one card: while one judges, that of the next submission prepares. Three
 * contexts are half a second of the driver's work, and made beside a judgement they cost
 * nobody time; but 5 to 10% of the calls that are timed meanwhile are disturbed by 20 to
 * 150 us (docs/measurements), and a fill that is disturbed looks like a submission's
 * kernel that was left there. So they take turns, by locks on a file of the card's:
 *
 *   who prepares enters before each step that touches the card (a context, one answer of
 *   the reference's) and leaves after it; who measures tries until nobody is inside, and
 *   holds the card quiet for a whole stretch of calls that count.
 *
 * Steps follow one upon the other without a pause, so the lock alone would not be fair:
 * who wants quiet first takes the door, through which who prepares must go for each step
 * anew. So the one waits for one step at most, the other for one stretch.
 *
 * The one that judged before may still be there: its result was said, and its process is
 * ending, for which the driver needs 25 ms a context, and more where there is much to
 * give back. It has nothing to do on the card but that, and holds neither door nor card;
 * but it keeps a third lock, its turn, which falls with its process. Who begins meanwhile
 * warms up beside it; the first stretch that counts begins when the turn is had. (Linux
 * gives back what a process has opened last first: the card before this file.)
 *
 * The locks are of open file descriptions: they fall when their process ends, however it
 * does. Neither side takes one that it could keep the other from for long; if it comes to
 * that (a stopped process), who measures goes on after a while, without what needs quiet.
 *
 * A card without such neighbours (emu, and two cards at once) has none of this: every
 * function takes NULL, for which it is always quiet and nobody is beside.
 */
#ifndef ARBITER_CALLING_GPU_LOCK_H
#define ARBITER_CALLING_GPU_LOCK_H

#include "base/report.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu_lock;

/* The locks of a device ("cuda:0") are in home. ahead: this process prepares while
 * another one judges, which sees it as its neighbour until gpu_lock_begin. Else it is the
 * only one and prepares without locks. -1: none can be had here. */
int gpu_lock_open(const char *home, const char *device, bool ahead, struct gpu_lock **out,
                  struct report *r);
void gpu_lock_close(struct gpu_lock *q); /* gives everything back, and ends a step */

/* --- who prepares ahead ---------------------------------------------------- */

/* Begins a step as soon as nobody measures, or wants to. */
void gpu_lock_enter(struct gpu_lock *q);

/* Ends it. held_bytes: of the card's memory, in all buffers of this process. */
void gpu_lock_leave(struct gpu_lock *q, uint64_t held_bytes);

/* How long the steps have been waited for. */
uint64_t gpu_lock_waited_ns(const struct gpu_lock *q);

/* It has prepared, and judges now: takes the turn, or will as soon as who judged before
 * is gone. */
void gpu_lock_begin(struct gpu_lock *q);

/* Its result is about to be said, after which the next one may begin: waits until who
 * judged before is gone, so that the next one finds this one's turn, but not for ever.
 * (Who has measured has waited already.) */
void gpu_lock_end(struct gpu_lock *q);

/* --- who measures ---------------------------------------------------------- */

/* Is nobody inside, and who judged before gone? From the first question on nobody enters,
 * and from the first yes on it stays so, until gpu_lock_give. After a long while the
 * answer is yes though somebody is: gpu_lock_is tells. Does not wait. */
bool gpu_lock_try(struct gpu_lock *q);

/* Waits until gpu_lock_try says yes. */
void gpu_lock_take(struct gpu_lock *q);

/* The same, but for so long at most. Was the answer yes? */
bool gpu_lock_take_within(struct gpu_lock *q, uint64_t ms);
void gpu_lock_give(struct gpu_lock *q);

/* Has this process the card to itself now, until gpu_lock_give? */
bool gpu_lock_is(const struct gpu_lock *q);

/* Is somebody preparing, or prepared and waiting? What it holds in its buffers is in
 * *held_bytes then, as of its last step. */
bool gpu_lock_neighbour(const struct gpu_lock *q, uint64_t *held_bytes);

/* How long neighbours have been inside, all of them that there ever were, up to the end
 * of the last step: only differences mean anything. */
uint64_t gpu_lock_busy_ns(const struct gpu_lock *q);

/* Was nobody inside since gpu_lock_busy_ns said this, so that what was slow meanwhile is
 * not a neighbour's doing? */
bool gpu_lock_was(const struct gpu_lock *q, uint64_t busy_ns);

#endif

/*
 * From the release of an armed runner to our copy of its outputs: the interval that is a
 * timed call's, of the submission and of the empty solve() alike.
 *
 * On a GPU two things keep the host out of it, whose launches and wake-ups differ by 5 to
 * 20 us from process to process and from call to call (docs/measurements/clock.md):
 *
 *   The card is held. When the clock starts it has HOLD_NS of nothing to do, of ours;
 *   what solve() launches meanwhile begins when that is over, whenever it came. (As where
 *   kernels are timed by events with everything queued at once.) It is held from before
 *   the inputs are made, and without a gap, so that nothing else can begin earlier.
 *
 *   The copy is queued behind the work, not made when DONE comes. A card takes contexts
 *   in the order in which they came with work: while it switches to the runner's, a copy
 *   of ours comes to wait for the end of what was launched by then. If DONE is there when
 *   the copy has ended, or soon, and the copy is right, then its end is the call's: DONE
 *   has no part in the time. (Of the empty solve() no copy is right or wrong, so its DONE
 *   must be there: if the copy did wait, it has been for 100 us.)
 *
 * If not, there was more to come (a launch later than the hold, kernels with the host's
 * work between them, more than the card's time slice of some 2 ms): the outputs are
 * copied again after DONE, and that copy's end is the call's. So intervals are of two
 * kinds, copied behind the work and copied after DONE; the second is longer by what the
 * host takes to hear of an end, some 14 us, and up to 100 after ten milliseconds of
 * waiting. A judgement's calls are all meant to be of
 * one kind (timing.c). But what is subtracted from both is the empty solve()'s interval
 * of the first kind, where there is one: else a program could choose the second, say DONE
 * too early, and be ahead by as much.
 */
#ifndef ARBITER_CALLING_RELEASE_H
#define ARBITER_CALLING_RELEASE_H

#include "arbiter/calling/call_set.h"
#include "arbiter/calling/gpu_lock.h"
#include "arbiter/calling/memory_watch.h"

#include <stdbool.h>
#include <stdint.h>

struct release {
    struct call_set *set; /* with copies */
    struct runner_link *runner;
    bool timed, frozen; /* frozen: the process is stopped, and goes on at the release */
    bool behind;        /* timed: try to copy behind the work */
    bool unchecked;     /* nobody will compare the outputs */
    uint64_t limit_ms;  /* for DONE: on emu in used time (meter.h), else by the clock */
    struct gpu_lock *gpu_lock;   /* while neighbours are inside, the limit stands still */
    struct memory_watch *memory; /* not behind: looks while DONE is waited for; or NULL */
    bool copied_behind; /* result: the copy that counts was queued behind the work */
    double ns;          /* result, if timed, and the reply is DONE without an error */
    double copy_ns;     /* result, of the interval: that copy, by the card's own clock */
};

/* The clock is a GPU's: holds the card until release_run, and waits for what is queued
 * before that (device_queue). */
int release_hold(struct device *d, struct report *r);

/* A set that is armed and, where timed and the clock is a GPU's, a card that is held.
 * -1 is our failure; else *event says how it went and, if RUNNER_ANSWERED, reply->status
 * whether the call succeeded; the outputs are taken then. */
int release_run(struct release *s, enum runner_event *event, struct runner_reply *reply,
                struct report *r);

/* Did the card wait for a launch that took the host so long, once it was let go? */
bool release_is_late(double launch_ns);

/* Can the outputs of this set be copied behind the work? Those of one GPU's memory. */
bool release_can_be_behind(const struct call_set *set);

#endif

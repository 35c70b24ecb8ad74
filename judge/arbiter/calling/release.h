/*
 * The interval of a timed call: from the release of an armed runner to the end of our
 * copy of its outputs. The submission's calls and the empty solve()'s are timed alike,
 * and the empty call's interval is subtracted from the submission's.
 *
 * The host's launches and wake-ups differ by 5 to 20 us from process to process and from
 * call to call (docs/measurements/clock.md). On a GPU two things keep them out of the
 * interval:
 *
 *   We hold the GPU. When the clock starts, a kernel of ours keeps the GPU for HOLD_NS
 *   more. What solve() launches meanwhile begins when the hold is over, however early it
 *   was launched. The hold follows our fill without a gap, so that nothing else can begin
 *   earlier.
 *
 *   We queue the copy behind the work, and do not wait for DONE to make it. A GPU takes
 *   contexts in the order in which work came to them. While it switches to the runner's
 *   context, our copy comes in, and then waits for the end of what was launched by then.
 *   If DONE is there when the copy has ended, or within a millisecond, and the copy is
 *   right, then the copy's end is the call's end. DONE has no part in the time. (An empty
 *   call's outputs are neither right nor wrong. Its DONE must be there when the copy has
 *   ended: if the copy did wait, DONE has been there for 100 us.)
 *
 * Otherwise more work came: a launch after the hold, kernels with the host's work between
 * them, or more work than the GPU's time slice of some 2 ms. Then we copy the outputs
 * again after DONE, and the end of that copy is the call's end.
 *
 * So intervals are of two kinds: copied behind the work, or copied after DONE. The second
 * kind is longer by the time in which the host hears of the end. That is some 14 us, and
 * up to 100 us after ten milliseconds of waiting. All calls of a judgement are meant to
 * be of one kind (timing_policy.h). But the empty call's interval of the first kind is
 * subtracted from both, if there is one. Else a program could choose the second kind by
 * saying DONE too early, and be ahead by as much.
 */
#ifndef ARBITER_CALLING_RELEASE_H
#define ARBITER_CALLING_RELEASE_H

#include "arbiter/calling/call_set.h"
#include "arbiter/calling/gpu_lock.h"
#include "arbiter/calling/memory_watch.h"

#include <stdbool.h>
#include <stdint.h>

struct release {
    struct call_set *set; /* has copies */
    struct runner_link *runner;
    bool timed;
    bool frozen;       /* the runner's process is stopped until the release */
    bool behind;       /* timed: try to copy behind the work */
    bool unchecked;    /* nobody will compare the outputs */
    uint64_t limit_ms; /* until DONE: on emu in used time (meter.h), else by the clock */
    struct gpu_lock *gpu_lock;   /* the limit stands still while a neighbour prepares */
    struct memory_watch *memory; /* not behind: looks while DONE is waited for; or NULL */

    /* Results. Both times are set only if the call is timed and DONE came without an
     * error. */
    bool copied_behind; /* the copy that counts was queued behind the work */
    double ns;          /* the interval */
    double copy_ns;     /* that copy's part of it, by the GPU's own clock */
};

/* Where the clock is a GPU's, holds the GPU until release_run, after all that is queued
 * before (device_queue). */
int release_hold(struct device *d, struct report *r);

/* Releases a call and takes its outputs. The set must be armed; if the call is timed by a
 * GPU's clock, the GPU must be held. -1 is our failure. Otherwise *event says how the
 * call went, and with RUNNER_ANSWERED reply->status says whether it succeeded. */
int release_run(struct release *s, enum runner_event *event, struct runner_reply *reply,
                struct report *r);

/* Was the hold over before the launch, so that the GPU waited for it? launch_ns is the
 * time from the release to the host's launch. */
bool release_is_late(double launch_ns);

/* Can the outputs of this set be copied behind the work? They can if all are in the
 * memory of one GPU. */
bool release_can_be_behind(const struct call_set *set);

#endif

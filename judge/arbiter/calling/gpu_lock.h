/*
 * The GPU lock: two arbiters of one GPU take turns by it. One measures, that is it judges
 * a submission and times its calls. The other one prepares the next submission ahead: it
 * makes contexts and the reference's answers. That saves half a second for each
 * submission, but its computing would disturb a quarter of the calls that are timed
 * meanwhile, by 20 to 150 us. A disturbed fill would even look like a kernel that a
 * submission has left on the GPU.
 *
 * Making a context is no step. It takes the driver a fifth of a second, in which the GPU
 * computes nothing. It disturbs few of the calls beside it, and makes none shorter. None
 * of these counts whose fill was slow (timing_policy.h).
 * Empty calls that take longer would make times shorter. So nobody makes a context from
 * when an arbiter judges alone until it has made these. And it sends much over the GPU's
 * bus, so that none is made beside calls that may send little (bus_watch.h).
 *
 * The lock is a file for each GPU, HOME/quiet/DEVICE, with three bytes that are locked:
 *
 *   The GPU. An arbiter that prepares holds it during each step (an answer of the
 *   reference, or an empty call). An arbiter that measures holds it for a whole stretch
 *   of calls that count.
 *
 *   The entry. Both must hold it before they get the GPU; an arbiter that measures keeps
 *   it. Steps follow one upon the other without a pause, so the GPU's byte alone would
 *   not be fair. So an arbiter that measures waits for one step at most, and an arbiter
 *   that prepares for one stretch.
 *
 *   Judging. An arbiter holds it from when it begins to judge until it has given
 *   everything back, or its process has ended. When it has measured, it still ends the
 *   submission's process and calibrates, and may free what it has. The next arbiter
 *   follows it: it warms up meanwhile, each call a step, and judges as soon as it has
 *   this byte. (Linux closes what a process has opened last first: the GPU before this
 *   file.)
 *
 * A fourth byte says that an arbiter is preparing, or has prepared, or follows. A fifth
 * says that it makes a context, or that it must not.
 *
 * The locks are of open file descriptions: the kernel drops them when their process ends,
 * however it does. No arbiter holds a byte for long that the other one waits for. If one
 * does (a stopped process), an arbiter that measures goes on after 150 s without the
 * lock, and gpu_lock_is_held says so.
 *
 * On emu, and with two GPUs, nothing is prepared ahead and there is no lock. Every
 * function takes NULL for that: the lock is then always held and nobody is beside.
 */
#ifndef ARBITER_CALLING_GPU_LOCK_H
#define ARBITER_CALLING_GPU_LOCK_H

#include "base/report.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu_lock;

/* Opens the lock of a device ("cuda:0") below home. With `ahead` this process prepares
 * while another one judges, which sees it as its neighbour until this one judges alone.
 * Without, it is the only one and prepares without locks. -1: the file cannot be locked
 * here. */
int gpu_lock_open(const char *home, const char *device, bool ahead, struct gpu_lock **out,
                  struct report *r);

/* Ends a step if there is one, and gives everything back. */
void gpu_lock_close(struct gpu_lock *lock);

/* --- for the arbiter that prepares ahead, or follows ------------------------- */

/* Begins a step as soon as nobody measures, or waits to measure. A process that neither
 * prepares ahead nor follows needs no step: it goes on at once, and gpu_lock_leave does
 * nothing. */
void gpu_lock_enter(struct gpu_lock *lock);

/* The same, but waits for wait_ns at most (0: it looks once). May the caller go on? */
bool gpu_lock_enter_within(struct gpu_lock *lock, uint64_t wait_ns);

/* Ends the step. held_bytes is what this process holds of the GPU's memory in all its
 * buffers. */
void gpu_lock_leave(struct gpu_lock *lock, uint64_t held_bytes);

/* Tells what this process will hold, before it takes it. */
void gpu_lock_hold(struct gpu_lock *lock, uint64_t held_bytes);

/* Makes a context, or several, between the two, as soon as the arbiter that judges allows
 * it. There may be steps meanwhile, and the first may be called again. */
void gpu_lock_enter_context(struct gpu_lock *lock);
void gpu_lock_leave_context(struct gpu_lock *lock, uint64_t held_bytes);

/* How long this process has waited for steps and contexts. */
uint64_t gpu_lock_waited_ns(const struct gpu_lock *lock);

/* This process has prepared and judges from here on. If the arbiter before it is not gone
 * yet, it follows that one until then. follows: the daemon has said that it does. */
void gpu_lock_begin(struct gpu_lock *lock, bool follows);

/* Does it still follow? Asking takes the byte for judging as soon as it can be had. */
bool gpu_lock_follows(struct gpu_lock *lock);

/* Waits until it does not, for 150 s at most. */
void gpu_lock_await_before(struct gpu_lock *lock);

/* Has the arbiter that this one followed ended, and well? If not, a process of its
 * submission may be there. */
bool gpu_lock_before_is_well(const struct gpu_lock *lock);

/* The result is about to be known. Waits until the arbiter before this one is gone, for
 * 15 s at most, so that the next one finds this one judging. (An arbiter that has
 * measured has waited already.) */
void gpu_lock_end(struct gpu_lock *lock);

/* Nothing of the submission is left: tells the next arbiter. */
void gpu_lock_ends_well(struct gpu_lock *lock);

/* --- for the arbiter that measures ------------------------------------------ */

/* From here on a neighbour may make contexts. It may not from when this process judges
 * alone. */
void gpu_lock_allow_contexts(struct gpu_lock *lock);

/* From here on it may make none in a stretch, until they are allowed again: gpu_lock_try
 * waits for the one that is being made, too. */
void gpu_lock_forbid_contexts(struct gpu_lock *lock);

/* Is nobody preparing on the GPU, and the arbiter before this one gone? From the first
 * question on nobody enters. From the first yes on it stays so until gpu_lock_give. After
 * 150 s the answer is yes in any case: gpu_lock_is_held tells which. Does not wait. */
bool gpu_lock_try(struct gpu_lock *lock);

/* Waits until gpu_lock_try says yes. */
void gpu_lock_take(struct gpu_lock *lock);

/* The same, but waits for wait_ns at most. Was the answer yes? */
bool gpu_lock_take_within(struct gpu_lock *lock, uint64_t wait_ns);

/* Others may enter again. */
void gpu_lock_give(struct gpu_lock *lock);

/* Has this process the GPU to itself now, until gpu_lock_give? */
bool gpu_lock_is_held(const struct gpu_lock *lock);

/* This process has just had the GPU at work without a pause: by timed calls, or by a
 * calibration. Tests are no such work, since a submission may sleep in them. */
void gpu_lock_worked(struct gpu_lock *lock);

/* How long ago an arbiter of this GPU said that. UINT64_MAX: it is not known. */
uint64_t gpu_lock_idle_ns(const struct gpu_lock *lock);

/* Is another arbiter preparing, or has it prepared and waits? *held_bytes is then what it
 * holds in its buffers, as of its last step. */
bool gpu_lock_neighbour(const struct gpu_lock *lock, uint64_t *held_bytes);

/* The total time of all steps that have ended, of every neighbour there ever was. Only
 * differences mean anything. */
uint64_t gpu_lock_busy_ns(const struct gpu_lock *lock);

/* The same of steps and contexts. */
uint64_t gpu_lock_beside_ns(const struct gpu_lock *lock);

/* Has nobody prepared since gpu_lock_beside_ns returned beside_ns? What was slow
 * meanwhile is not a neighbour's doing then. */
bool gpu_lock_was_undisturbed(const struct gpu_lock *lock, uint64_t beside_ns);

#endif

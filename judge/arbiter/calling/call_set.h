/*
 * The buffers of one call of solve() on one device. Inputs are made from a secret seed.
 * Outputs hold poison or zeros before the call. A request names the buffers to a runner.
 */
#ifndef ARBITER_CALLING_CALL_SET_H
#define ARBITER_CALLING_CALL_SET_H

#include "arbiter/calling/runner_link.h"
#include "device/device.h"
#include "problem/problem.h"

struct call_set {
    struct device *device;
    const struct problem *problem;
    const struct test_case *test;
    struct extent extent[PROBLEM_PARAMS_MAX];         /* buffers only */
    struct device_buffer *buffer[PROBLEM_PARAMS_MAX]; /* NULL: a scalar */

    /* out and inout: our private copy of the outputs (call_set_alloc_copies). */
    struct device_buffer *copy[PROBLEM_PARAMS_MAX];

    /* inout: what it held before the call, if a device cannot make that; else NULL. */
    struct device_buffer *start[PROBLEM_PARAMS_MAX];

    struct call_set *group; /* those mapped together (call_set_group); NULL: only this */
    int group_size, slot;   /* slot: the runner's slot of this set's first buffer */
};

/* Allocates one buffer for each parameter that is one. With `shareable` a runner can map
 * them. */
int call_set_alloc(struct call_set *s, struct device *d, const struct problem *p,
                   const struct test_case *t, bool shareable, struct report *r);

/* The bytes of a set, perhaps with the private copies. UINT64_MAX: they cannot be told.
 */
uint64_t call_set_bytes(const struct problem *p, const struct test_case *t, bool copies);

/* Makes the set one for another test of its problem, without private copies, in the very
 * buffers that it has. A runner that has these mapped need not map them again. False: a
 * new set would have other memory, and nothing has changed. */
bool call_set_reuse(struct call_set *s, const struct test_case *t);

/* Copies what the buffers of another set for the same test hold, on the same device. */
int call_set_copy(struct call_set *to, const struct call_set *from, struct report *r);

/* Allocates the private copies of the outputs. */
int call_set_alloc_copies(struct call_set *s, struct report *r);
void call_set_free(struct call_set *s); /* a zeroed set is allowed */

/* Makes a group of these sets of one test: arming one of them with `attach` maps them
 * all. The sets must not move from here on. */
void call_set_group(struct call_set *sets, int count);

/* The runner's first slot behind those of this set and its group. A set outside the group
 * may get it as its `slot`, and the group stays mapped beside it. */
int call_set_slots_end(const struct call_set *s);

bool param_is_buffer(const struct param *p);
bool param_is_output(const struct param *p); /* out or inout */
bool param_is_input(const struct param *p);  /* in or inout */

/* Fills in and inout parameters with values as the spec describes them. */
int call_set_fill(struct call_set *s, uint64_t seed, struct report *r);

/* Fills one inout parameter with what call_set_fill gave it in `known`, a set of the same
 * test and seed, which a call has overwritten since. This set's device must be able to
 * copy buffers of `known`. */
int call_set_refill(struct call_set *s, int param, const struct call_set *known,
                    uint64_t seed, struct report *r);

/* Writes the bytes of a host buffer to `start` of a parameter, and allocates that if
 * there is none. */
int call_set_keep_start(struct call_set *s, int param, const void *bytes,
                        struct report *r);

/* Fills out parameters with what they hold before the call: poison or zeros. */
int call_set_start_outputs(struct call_set *s, uint64_t poison_seed, struct report *r);

/* The seed of one parameter's poison, so that a single element can be made again. */
uint64_t call_set_poison_seed(uint64_t poison_seed, int param);

/* Copies the outputs into the private copies. From then on it does not matter what the
 * submission does to its own memory. */
int call_set_take_outputs(struct call_set *s, struct report *r);

/* Queues the same copies: they are made when device_wait returns. */
int call_set_queue_outputs(struct call_set *s, struct report *r);

/* Arms a call. With `attach` the runner first unmaps what has the group's slots or later
 * ones, and maps the buffers of this set and its group. Without, they are mapped already.
 * Then it fills its argument block. Waits until the runner has done all of that, or has
 * used more than limit_ms (meter.h).
 *
 * -1 is our failure. Otherwise *event says how it went, and with RUNNER_ANSWERED
 * reply->status says whether the runner could do it. */
int call_set_arm(struct call_set *s, struct runner_link *l, bool attach,
                 uint64_t limit_ms, enum runner_event *event, struct runner_reply *reply,
                 struct report *r);

/* Releases the armed call. Returns RUNNER_ANSWERED, or RUNNER_LIED if the runner had
 * already sent something. */
enum runner_event call_set_release(struct runner_link *l);

#endif

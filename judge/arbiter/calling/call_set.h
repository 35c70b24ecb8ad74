/*
 * The buffers of one call of solve() on one device: inputs made from a secret seed,
 * outputs that hold poison or zeros, and the request that names them to a runner.
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
    struct device_buffer
        *copy[PROBLEM_PARAMS_MAX]; /* out and inout: our private copy of the
                                      outputs; see call_set_alloc_copies */
    struct device_buffer
        *start[PROBLEM_PARAMS_MAX]; /* inout: what it held before the call, where only
                                       problem_make can make it; else NULL */
    struct call_set *group;         /* call_set_group; NULL: alone */
    int group_size, slot;           /* of the group; the runner's for our first buffer */
};

/* One buffer a parameter; shareable: a runner will see them. */
int call_set_alloc(struct call_set *s, struct device *d, const struct problem *p,
                   const struct test_case *t, bool shareable, struct report *r);
int call_set_alloc_copies(struct call_set *s, struct report *r);
void call_set_free(struct call_set *s); /* also where it was never allocated */

/* These sets of one test will be mapped together: arming one with `attach` maps them all.
 * They must not move from here on. */
void call_set_group(struct call_set *sets, int count);

/* The runner's first slot behind those of this set and its group. A set that is alone may
 * be given that as its `slot`: the others stay mapped beside it. */
int call_set_slots_end(const struct call_set *s);

bool param_is_buffer(const struct param *p);
bool param_is_output(const struct param *p); /* out or inout */
bool param_is_input(const struct param *p);  /* in or inout */

/* Values of in and inout parameters as the spec describes them. */
int call_set_fill(struct call_set *s, uint64_t seed, struct report *r);

/* The values of one inout parameter again, after `known`, a set of the same test whose
 * buffers this set's device can copy, was filled with this seed and then overwritten. */
int call_set_refill(struct call_set *s, int param, const struct call_set *known,
                    uint64_t seed, struct report *r);

/* bytes of a host buffer that is `start` of a parameter: allocates it if there is none.
 */
int call_set_keep_start(struct call_set *s, int param, const void *bytes,
                        struct report *r);

/* What out parameters hold before the call. */
int call_set_start_outputs(struct call_set *s, uint64_t poison_seed, struct report *r);

/* The poison of one parameter, so that a single element of it can be made again. */
uint64_t call_set_poison_seed(uint64_t poison_seed, int param);

/* Copies the outputs into the private copies; when this returns, what the submission does
 * to its own memory no longer matters. */
int call_set_take_outputs(struct call_set *s, struct report *r);

/* The same, queued: they are taken when device_wait returns. */
int call_set_queue_outputs(struct call_set *s, struct report *r);

/* Makes the runner map these buffers, and those of the group (in place of all that have
 * these slots or later ones), and fill its argument block, and waits until it has done
 * all of it or has used more than limit_ms (meter.h). attach false: they are mapped
 * already. -1 is our failure; else *event says how it went and, if RUNNER_ANSWERED,
 * reply->status whether it could.
 */
int call_set_arm(struct call_set *s, struct runner_link *l, bool attach,
                 uint64_t limit_ms, enum runner_event *event, struct runner_reply *reply,
                 struct report *r);

/* Lets the armed call run. RUNNER_LIED: it had claimed to be done already. */
enum runner_event call_set_release(struct runner_link *l);

#endif

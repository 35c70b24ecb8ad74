/*
 * The problem's reference: a submission that we trust, in a runner of its own, in a
 * sandbox like any other. It gets the same inputs in buffers of its own, and what it
 * computes stays in memory that no process of the submission can reach.
 */
#ifndef ARBITER_JUDGING_REFERENCE_H
#define ARBITER_JUDGING_REFERENCE_H

#include "arbiter/calling/call_set.h"
#include "arbiter/judging/author.h"
#include "device/device.h"
#include "problem/problem.h"

struct reference;

struct reference_options {
    const char *folder; /* where `reference` is, and `inputs` and `checker` are if the
                           problem has them */
    const char *kind;   /* "c": runs on the host; "cu": on a device like the
                           submission's */
    const char *runner_program; /* path of warpjudge-runner */
    bool fenced; /* what a "c" writes close behind a buffer is a failure, and what it
                    reads there differs from call to call */
    struct device_options device_options;
};

/* Starts the reference's process, those of inputs.c and checker.c (and, for "cu" on emu,
 * an emulated GPU of its own). target is the submission's device: on a GPU the
 * reference's buffers are allocations of the same card. Both outlive the reference. */
int reference_open(const struct reference_options *o, const struct problem *p,
                   struct device *target, struct reference **out, struct report *r);
/* Waits until its process is up, on a GPU with a context: else that is made at some time
 * before the first answer. -1: it does not come up. */
int reference_wake(struct reference *ref, struct report *r);

/* Ends its process, which may hold device memory of its own; no answers from then on.
 * reference_kill does not wait until it is gone, and reference_stop is to follow. */
void reference_kill(struct reference *ref);
void reference_stop(struct reference *ref);

/* The same for all processes, those of inputs.c and checker.c too. */
void reference_end_processes(struct reference *ref);

void reference_close(struct reference *ref); /* after the answers are freed */

/* Where buffers are host memory: makes those that test t will need, and gives them back
 * at once. Made largest first they serve all the smaller tests, whose pages need not be
 * made. */
int reference_reserve(struct reference *ref, const struct test_case *t, struct report *r);

/* What the right answer to one call is. `known` holds the inputs (in: as they were) and
 * the expected outputs in memory that the submission's device can compare with. */
struct answer {
    uint64_t seed;
    struct call_set *known; /* one of the two below */
    struct call_set ran;    /* where the reference ran */
    struct call_set
        moved; /* its contents on the submission's device, if that is elsewhere */
    struct author *checker; /* belongs to the reference; NULL: the problem has none */
};

/* Makes the answer for test t with inputs of `seed`. A zeroed answer gets its buffers;
 * one that was made before for the same test is made anew in the same buffers. A
 * reference that fails is our failure. */
int reference_answer(struct reference *ref, const struct test_case *t, uint64_t seed,
                     struct answer *a, struct report *r);
void answer_free(struct answer *a);

/* Fills the inputs of `set`, on any device, as those that an answer of this seed has. */
int reference_fill(struct reference *ref, struct call_set *set, uint64_t seed,
                   struct report *r);

/* The same, with inputs that `change` has changed before the reference saw them. */
typedef int reference_change_fn(void *context, struct call_set *inputs, struct report *r);
int reference_answer_changed(struct reference *ref, const struct test_case *t,
                             uint64_t seed, reference_change_fn *change, void *context,
                             struct answer *a, struct report *r);

/* Of the last answer, which could not be made: was it the reference, or inputs.c, that
 * failed? Then its author must hear of it, and no other answer can be asked for. */
bool reference_failed(const struct reference *ref);

/* The same: has its process ended, so that what device memory it had is given back? */
bool reference_ended(const struct reference *ref);

/* The same: did it say that it was device memory that it lacked? By the error that its
 * call left, or by that error's name in what it printed. What ends in another error, or
 * prints nothing, does not say so. */
bool reference_was_short(const struct reference *ref);

/* Then: has a new process of it make the same answer once more, with the same inputs, and
 * drops it. 0: it can be made now, and others can be asked for. */
int reference_try_again(struct reference *ref, struct report *r);

#endif

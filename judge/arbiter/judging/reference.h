/*
 * The problem's reference: a submission that we trust. It runs in a runner of its own, in
 * a sandbox like any other, and gets the same inputs in buffers of its own. What it
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
    const char *folder;  /* has `reference`, and `inputs` and `checker` if they exist */
    const char *kind;    /* "c": on the host; "cu": on a device like the submission's */
    const char *program; /* its name in the folder; NULL: `reference` */
    const char *runner_program; /* path of warpjudge-runner */
    const char *hash; /* of the program, by reference_hash(); NULL: it is not kept for
                         another judgement */

    /* Random bytes are put close behind each buffer of a reference of the kind "c". If it
     * writes there, the answer fails. What it reads there differs from call to call. */
    bool fenced;

    /* How long one call may take, in used time; 0: as long as a call at sizes that the
     * problem's author has chosen. */
    int call_ms;
    struct device_options device_options;
};

/* Hashes the file of the program, for an arbiter that may keep the reference. The hash is
 * "" where the reference would have no context of its own on `target`, which is the
 * submission's device. */
int reference_hash(const struct reference_options *o, const struct device *target,
                   char hash[65], struct report *r);

/* Starts the reference's process and those of inputs.c and checker.c. On emu a "cu" gets
 * an emulated GPU of its own, too. `target` is the submission's device; on a GPU the
 * reference uses it as well. `p` and `target` must outlive the reference. */
int reference_open(const struct reference_options *o, const struct problem *p,
                   struct device *target, struct reference **out, struct report *r);

/* Waits until the reference's process is up, on a GPU with a context. Without this call
 * it comes up at some time before the first answer. -1: it does not come up. */
int reference_wake(struct reference *ref, struct report *r);

/* Does the reference compute on the submission's device, so that its inputs and answers
 * need no copies? */
bool reference_is_on_target(const struct reference *ref);

/* Ends the reference's process, which may hold device memory of its own. There are no
 * answers from then on. reference_kill does not wait until the process is gone, and
 * reference_stop must follow. */
void reference_kill(struct reference *ref);
void reference_stop(struct reference *ref);

/* Ends all processes, those of inputs.c and checker.c too. */
void reference_end_processes(struct reference *ref);

void reference_close(struct reference *ref); /* after the answers are freed */

/* --- of an arbiter that stays ------------------------------------------------ */

/* Lets a reference wait for another judgement: it unmaps all buffers, and ends inputs.c
 * and checker.c. False: it is not fit for that, and is to be closed. It is fit if it was
 * opened with a hash, and has never failed. It has a context of its own on the
 * submission's GPU then, which is what takes long to make. Afterwards only the functions
 * below and reference_close may be called. */
bool reference_rest(struct reference *ref);

/* Is the reference that waits the one that reference_open would start? The options' hash
 * says so; no file is read. */
bool reference_is_that(const struct reference *ref, const struct reference_options *o,
                       const struct device *target);

/* Takes the reference for a judgement of p, instead of reference_open. After -1 it is to
 * be closed. */
int reference_adopt(struct reference *ref, const struct reference_options *o,
                    const struct problem *p, struct report *r);

/* The process of a reference that waits. */
pid_t reference_pid(const struct reference *ref);

/* --- answers ------------------------------------------------------------------ */

/* Allocates the buffers that test t will need, and gives them back at once. If buffers
 * are host memory, the smaller tests then use the same pages, so the largest test comes
 * first. */
int reference_reserve(struct reference *ref, const struct test_case *t, struct report *r);

/* The right answer to one call. `known` holds the inputs and the expected outputs, in
 * memory that the submission's device can compare with. */
struct answer {
    uint64_t seed;
    struct call_set *known; /* ran or moved */
    struct call_set ran;    /* the set that the reference ran on */
    struct call_set moved;  /* a copy on the submission's device, if ran is elsewhere or
                               was not kept */
    struct author *checker; /* belongs to the reference; NULL: the problem has none */
};

/* Makes the answer for test t with inputs of `seed`. A zeroed answer gets its buffers. An
 * answer that was made for the same test before is made anew in its buffers. If the
 * reference fails, that is our failure. */
int reference_answer(struct reference *ref, const struct test_case *t, uint64_t seed,
                     struct answer *a, struct report *r);

/* The same of a zeroed answer that is kept while others are made. On a GPU it is made in
 * buffers that the reference has mapped already, if they are as large, and copied. */
int reference_answer_kept(struct reference *ref, const struct test_case *t, uint64_t seed,
                          struct answer *a, struct report *r);
void answer_free(struct answer *a);

/* Fills the inputs of `set`, on any device, with those of an answer of this seed. */
int reference_fill(struct reference *ref, struct call_set *set, uint64_t seed,
                   struct report *r);

/* Makes an answer as reference_answer does, but `change` changes the inputs before the
 * reference sees them. */
typedef int reference_change_fn(void *context, struct call_set *inputs, struct report *r);
int reference_answer_changed(struct reference *ref, const struct test_case *t,
                             uint64_t seed, reference_change_fn *change, void *context,
                             struct answer *a, struct report *r);

/* The bytes that outputs hold before a call, and those behind the buffers, are others for
 * each answer. While they are held, they stay as they were for the answer before. */
void reference_hold_memory(struct reference *ref, bool hold);

/* Changes those bytes once while they are held: those behind one buffer, or those in all
 * outputs. */
#define REFERENCE_OUTPUTS (-1)
void reference_change_memory(struct reference *ref, int buffer);

/* These five are about the last answer, if it could not be made.
 *
 * Did the reference or inputs.c fail? Then its author must hear of it, and no other
 * answer can be asked for. */
bool reference_failed(const struct reference *ref);

/* Has the reference's process ended, so that its device memory is given back? */
bool reference_ended(const struct reference *ref);

/* Did it write behind a buffer, where something else showed that it did? */
bool reference_broke_fence(const struct reference *ref);

/* Did the reference say that it lacked device memory, by the error of its call or by that
 * error's name in what it printed? */
bool reference_was_short(const struct reference *ref);

/* Starts a new process of the reference, makes the same answer once more, with the same
 * inputs, and drops it. 0: the answer can be made now, and others can be asked for. */
int reference_try_again(struct reference *ref, struct report *r);

#endif

/*
 * Limits how long a submission may keep a device. One budget holds for each call of
 * solve(): the problem's limits.time_ms. Another holds for all calls together. Without it
 * a submission that stays below the first one in twenty calls would keep the device for
 * twenty times as long.
 *
 *   On emu both are in used time (meter.h), which does not depend on what else the
 * machine does. The emulated GPU itself stops work that exceeds one of them, at the same
 *   instruction on every machine. The second budget covers all that the process uses from
 *   when the submission is loaded.
 *
 *   On a GPU both are wall time from the release to DONE: the GPU's time is to be
 * limited, and the host sees nothing else of it. What the process uses between two calls,
 * while it is waited for, is added to the second one.
 */
#ifndef ARBITER_JUDGING_BUDGET_H
#define ARBITER_JUDGING_BUDGET_H

#include "arbiter/calling/meter.h"

#include <stdbool.h>
#include <stdint.h>

struct judgement;

struct budget {
    struct meter_use
        loaded; /* what the process had used before it was the submission's */
    struct meter_use before; /* the same, before the latest call */
    struct meter_use after;  /* when it was no longer waited for */
    uint64_t call_ms;        /* that the latest call had, at most */
    bool last;               /* that was less than limits.time_ms: the rest of all */
    uint64_t spent_ns;       /* on a GPU, by earlier calls */
    uint64_t start_ns, neighbour_ns; /* on a GPU: clocks when the latest call began */
};

/* The submission is about to be loaded. */
void budget_begin(struct judgement *j);

/* These three stand around a call. budget_call_begin comes when the runner is armed, and
 * before a GPU is held, so that nothing of it lies between the hold and the release. It
 * sets the limit of the emulated GPU's work and returns how many ms the call may take.
 * budget_call_release comes just before the release, budget_call_end when nobody waits
 * for the call any more. */
uint64_t budget_call_begin(struct judgement *j);
void budget_call_release(struct judgement *j);
void budget_call_end(struct judgement *j);

/* What is left of the second budget, at least 1 ms. */
uint64_t budget_left_ms(struct judgement *j);

/* What the process used while it was waited for until it was ready for a call: from
 * before to now. */
void budget_add_arming(struct judgement *j, const struct meter_use *before);

/* Has the emulated GPU refused to go on for what budget_call_begin had set? */
bool budget_work_is_spent(struct judgement *j);

/* time_limit: the latest call, at `where`, had used up a budget. why: what is known of
 * where it was then, or NULL. */
void budget_exceeded(struct judgement *j, const char *where, const char *why);

#endif

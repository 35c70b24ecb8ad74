/*
 * Limits how long a submission may keep a device. One budget holds for each call of
 * solve(): the problem's limits.time_ms. Another one holds for all calls together.
 * Without it a submission that stays just below the first budget in twenty calls would
 * keep the device for twenty times as long.
 *
 *   On emu both budgets are in used time (meter.h), which does not depend on what else
 *   the machine does. The emulated GPU itself stops work that exceeds a budget, at the
 *   same instruction on every machine. The second budget covers all that the process uses
 *   from when the submission is loaded.
 *
 *   On a GPU both budgets are wall time from the release to DONE. They are to limit the
 *   GPU's time, of which the host sees nothing else. What the process uses between two
 *   calls, while it is waited for, is added to the second budget.
 */
#ifndef ARBITER_JUDGING_BUDGET_H
#define ARBITER_JUDGING_BUDGET_H

#include "arbiter/calling/meter.h"

#include <stdbool.h>
#include <stdint.h>

struct judgement;

struct budget {
    /* What the process had used before the submission was loaded, before the latest call,
     * and when nobody waited for that call any more. */
    struct meter_use loaded, before, after;

    uint64_t call_ms; /* the latest call's budget */
    bool last; /* that was less than limits.time_ms: the rest of the second budget */

    /* On a GPU. */
    uint64_t spent_ns;     /* by earlier calls, of the second budget */
    uint64_t start_ns;     /* when the latest call began, by now_ns() */
    uint64_t neighbour_ns; /* gpu_lock_busy_ns then */
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

/* Adds what the process has used since `before`, while it was waited for until it was
 * ready for a call. */
void budget_add_arming(struct judgement *j, const struct meter_use *before);

/* Has the emulated GPU stopped at the limit that budget_call_begin had set? */
bool budget_work_is_spent(struct judgement *j);

/* Gives the verdict time_limit, since the latest call had used up a budget. `where` names
 * the call. `why` says where the submission was then, or is NULL. */
void budget_exceeded(struct judgement *j, const char *where, const char *why);

#endif

/* Judges one submission, from its job folder to its result (main.c has the theory of
 * operation). */
#include "arbiter/submission.h"

#include "arbiter/calling/gpu_lock.h"
#include "arbiter/judging/progress.h"
#include "arbiter/measuring/timing.h"
#include "arbiter/phases.h"
#include "base/inject.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes a result that tells of a failure of ours. */
static int
write_failure(struct judgement *j, const char *folder, const struct report *why,
              struct report *r)
{
    struct result failure = {.verdict = VERDICT_JUDGE_ERROR,
                             .message = (char *)(uintptr_t)why->text,
                             .board = j->result.board,
                             .seed = j->result.seed};

    fprintf(stderr, "%s: judgement %s (seed %s): %s\n", program_invocation_short_name,
            folder, j->result.seed != NULL ? j->result.seed : "not drawn", why->text);
    return result_write(folder, &failure, r);
}

/* Writes the result. `why` says why we failed. It is NULL if the submission was judged,
 * and then the daemon is told of the result. */
static void
conclude_judgement(struct judgement *j, const char *folder, const struct report *why)
{
    struct report r = {0};
    int rc;

    inject_kill(INJECT_ARBITER_KILLED);
    rc = why == NULL ? result_write(folder, &j->result, &r)
                     : write_failure(j, folder, why, &r);
    inject_kill(INJECT_ARBITER_KILLED);
    if (rc != 0) {
        judgement_close(j);
        die(4, "%s", r.text);
    }
    if (why != NULL)
        return;
    progress_result();
    inject_kill(INJECT_ARBITER_KILLED);
}

/* Gives everything back after a judgement, but for what an arbiter that stays keeps. On a
 * GPU one that does not stay ends here. The driver takes back contexts and memory as the
 * process ends, which is faster than to free one buffer after the other. What waits for
 * the end gets the GPU that much earlier: a judgement that was not prepared, or a second
 * attempt. On the other devices everything is freed, so that a leak shows. */
static void
leave_judged(struct judgement *j)
{
    const bool stays = j->stock != NULL && !j->stock->last && j->ended_well;

    if (!stays && j->device != NULL && !device_clock_modelled(j->device)) {
        judgement_end_processes(j);
        (void)fflush(stdout);
        _exit(0);
    }
    judgement_close(j);
}

/* Gives everything back without a judgement. Beside another judgement that is a step of
 * the GPU lock, as making the contexts was. */
static void
leave_unjudged(struct judgement *j)
{
    /* What takes the lock must not keep a context from who has it. */
    gpu_lock_leave_context(j->gpu_lock, 0);
    gpu_lock_enter(j->gpu_lock);
    judgement_close(j);
}

/* The same of a preparation that the daemon does not want any more. `rc` is what came of
 * it until then. Returns whether this process may judge another: it was told to drop this
 * one, and nothing was odd. */
static bool
leave_unwanted(struct judgement *j, int rc)
{
    const bool well = rc >= 0 && progress_is_dropped() && judgement_was_prepared_well(j);

    j->ended_well = well;
    leave_unjudged(j);
    return well;
}

/* Returns 1 if there is nothing to judge. After a failure this waits for the daemon's
 * lines too, because without them nobody wants a result. With `ahead` a failure returns
 * at once, since the daemon starts another arbiter then. */
static int
prepare_judgement(struct judgement *j, const char *folder, bool ahead,
                  struct stock *stock, struct report *r)
{
    int rc = judgement_open(j, folder, ahead, stock, r);

    if (rc == 0 && !progress_is_awaited())
        rc = judgement_wake(j, r);
    if (rc != 0 && ahead)
        return -1;
    if (!progress_wait_for("reference"))
        return rc != 0 ? rc : 1;
    return rc == 0 ? judgement_prepare(j, r) : rc;
}

bool
judge_submission(const char *folder, bool ahead, struct stock *stock)
{
    struct judgement j;
    struct report r = {0};
    bool ended_well;
    int rc;

    progress_preparing();
    rc = prepare_judgement(&j, folder, ahead, stock, &r);
    if (rc < 0 && ahead) {
        leave_unjudged(&j);
        die(ARBITER_UNPREPARED, "it is prepared when its turn has come: %s", r.text);
    }
    for (int more = 1; rc == 0 && more > 0 && !progress_is_awaited();) {
        more = timing_prepare(&j, &r);
        rc = more < 0 ? -1 : 0;
    }
    if (rc > 0 || progress_is_dropped() || !progress_wait_for_go(&j.follows))
        return leave_unwanted(&j, rc);
    if (rc == 0)
        rc = judgement_run(&j, &r);
    if (j.unwanted) {
        leave_unjudged(&j);
        return false;
    }
    conclude_judgement(&j, folder, rc != 0 ? &r : NULL);
    ended_well = rc == 0 && j.ended_well;
    leave_judged(&j);
    return ended_well;
}

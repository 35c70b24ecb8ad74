/* What the protocol itself takes: the intervals of an empty solve(), measured as those of
 * a submission are, on the same buffers and in the process that it is loaded into
 * afterwards. A neighbour (quiet.h) may prepare beside the warm-up. Then it is asked to
 * stop; calls go on while its step ends, so that nothing gets cold, but do not count. It
 * goes on when these and the calibration are done, beside the tests. */
#include "arbiter/release.h"
#include "arbiter/timing_impl.h"
#include "core/file.h"

#include <stdlib.h>

#define SLOW_REFERENCE_NS 5000000u
#define SLOW_REFERENCES_MAX 3 /* one may be slow by chance */

struct empty_run {
    struct trial trial;
    struct trial_result result;    /* of the last call */
    int slow_references;           /* how often it was slow */
    double fill_ns[2 * EMPTY_MAX]; /* our own work before each call, of either kind */
    double bus_bytes[2 * EMPTY_MAX];
    int calls;
};

/* One empty call, with all that goes before one of the submission's: the reference's,
 * too, which leaves caches as it leaves them, unless that takes so long that nobody
 * minds. */
static int
empty_call(struct timed_runs *t, struct empty_run *e, struct report *r)
{
    const uint64_t start_ns = now_ns(), busy_ns = quiet_busy_ns(t->j->quiet);
    int rc = 0;

    if (e->slow_references < SLOW_REFERENCES_MAX) {
        rc = reference_answer(t->j->reference, t->test, timed_seed(t, 0), &t->answer, r);
        /* Not the first, and none that a neighbour makes slow. */
        e->slow_references += !e->trial.attach && quiet_was(t->j->quiet, busy_ns) &&
                              now_ns() - start_ns > SLOW_REFERENCE_NS;
    }
    e->trial.set = timed_next_set(t);
    if (rc == 0)
        rc = trial_run(t->j, &e->trial, &e->result, r);
    e->trial.attach = false;
    e->trial.cpu = e->result.cpu; /* the next one waits there */
    return rc;
}

/* Is another empty call to be timed, after `tries` of them? */
static bool
wants_more(const struct plan *p, const struct empty_times *times, int tries,
           uint64_t spent_ns)
{
    struct interval i;

    if (tries < p->empty_min)
        return true;
    if (tries >= p->empty_max || spent_ns > p->empty_budget_ns || times->count == 0)
        return false;
    i = median_interval(times->ns, times->count);
    return i.high - i.low > 2 * p->empty_precision_ns;
}

/* Keeps what the last call said. */
static void
keep(struct empty_times *times, struct empty_run *e)
{
    e->bus_bytes[e->calls] = e->result.bus_bytes;
    e->fill_ns[e->calls++] = e->result.fill_ns;
    if (e->result.copied_behind != e->trial.behind)
        return;
    times->copy_ns[times->count] = e->result.copy_ns;
    times->ns[times->count++] = e->result.ns;
}

/* Calls that should have been copied behind the work and were not are of the other kind;
 * where they are many, this machine's host is too slow for it. */
static int
time_kind(struct timed_runs *t, struct empty_run *e, bool behind, struct report *r)
{
    struct empty_times *times = &t->empty;
    uint64_t start_ns = now_ns();
    int tries = 0;

    e->trial.behind = behind;
    while (wants_more(&t->plan, times, tries, now_ns() - start_ns)) {
        const uint64_t call_ns = now_ns();
        const bool quiet = quiet_try(t->j->quiet);

        if (empty_call(t, e, r) != 0)
            return -1;
        if (quiet && host_busy_counts(&times->host, behind && e->result.late,
                                      e->result.preempted)) {
            tries++;
            keep(times, e);
            continue;
        }
        times->uncounted_ns += now_ns() - call_ns;
        if (!quiet)
            start_ns = now_ns();
        if (host_busy_always(&times->host))
            return report_fail(r,
                               "this machine's CPUs are too busy to time anything: "
                               "%d empty calls lost theirs to something else",
                               times->host.preempted);
    }
    if (2 * times->count < tries)
        times->count = 0;
    times->behind = behind;
    return 0;
}

static int
warm_up(struct timed_runs *t, struct empty_run *e, struct report *r)
{
    const struct plan *p = &t->plan;
    const uint64_t start_ns = now_ns();

    for (int i = 0;
         i < p->warmup || (i < p->warmup_max && now_ns() - start_ns < p->warmup_ns); i++)
        if (empty_call(t, e, r) != 0)
            return -1;
    return 0;
}

int
timed_empty(struct timed_runs *t, struct report *r)
{
    struct empty_run *e = xcalloc(1, sizeof *e);
    int rc;

    e->trial = (struct trial){.answer = &t->answer,
                              .empty = true,
                              .attach = true,
                              .timed = true,
                              .metered = t->metered,
                              .cpu = -1};
    rc = warm_up(t, e, r);
    if (rc == 0 && release_can_be_behind(&t->set[0]))
        rc = time_kind(t, e, true, r);
    if (rc == 0 && t->empty.count == 0)
        rc = time_kind(t, e, false, r);
    if (rc == 0) {
        t->empty.median_ns = quantile(t->empty.ns, t->empty.count, 0.5);
        t->empty.median_copy_ns = quantile(t->empty.copy_ns, t->empty.count, 0.5);
        t->empty.interval = median_interval(t->empty.ns, t->empty.count);
        t->cpu = e->trial.cpu;
        t->watch.usual_ns = quantile(e->fill_ns, e->calls, 0.5);
        t->empty.bus_bytes = quantile(e->bus_bytes, e->calls, 0.5);
    }
    free(e);
    return rc;
}

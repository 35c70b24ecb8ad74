#include "daemon/attempt_lease.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/api_accounts.h"
#include "daemon/archives.h"
#include "daemon/attempt.h"
#include "daemon/http.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/request.h"
#include "daemon/result_reading.h"
#include "daemon/waiting_call.h"
#include "daemon/workers.h"

#include <stdlib.h>
#include <string.h>

/* --- where it is carried out -------------------------------------------- */

static void
lease_kill(struct attempt *a)
{
    lease_end(a);
}

/* There is nothing on this machine that the end could disturb. */
static void
lease_stop(struct attempt *a, enum phase before)
{
    (void)before;
    lease_end(a);
}

/* Keeps where the attempt was and what became of it, for who is told in the end that the
 * judge has failed. */
static void
lease_note_failure(struct attempt *a, const char *why)
{
    const struct worker *w = a->lease->worker;

    buf_printf(&a->history, "%sattempt %d on %s (%s): %s", a->history.len > 0 ? "; " : "",
               a->number, w->node, w->device, why);
    a->lease->worker->lost++;
}

const struct attempt_place attempt_on_worker = {
    .attempts_max = LEASES_MAX,
    .kill = lease_kill,
    .stop = lease_stop,
    .failed = lease_note_failure,
};

/* --- beginning and end -------------------------------------------------- */

/* What the worker does with it. A worker need not know of bulk grading. */
static const char *
lease_mode(const struct attempt *a)
{
    if (a->profile == PROFILE_GRADE_COMPILE)
        return "compile";
    return request_mode_name(attempt_has_samples_only(a),
                             profile_is_graded(a->profile) ? PROFILE_NONE : a->profile);
}

static cJSON *
lease_json(const struct attempt *a, const char *hash, const struct buf *source,
           const char *own_case, const char *seed)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "submission", (double)a->id);
    cJSON_AddNumberToObject(o, "attempt", a->number);
    cJSON_AddStringToObject(o, "fence", a->lease->fence);
    cJSON_AddStringToObject(o, "problem", a->problem);
    cJSON_AddStringToObject(o, "problem_hash", hash);
    cJSON_AddStringToObject(o, "filename", a->filename);
    cJSON_AddStringToObject(o, "mode", lease_mode(a));
    cJSON_AddStringToObject(o, "source", buf_str(source));
    if (seed == NULL)
        seed = a->daemon->settings.seed;
    if (seed != NULL)
        cJSON_AddStringToObject(o, "seed", seed);
    if (own_case != NULL)
        cJSON_AddStringToObject(o, "own_case", own_case);
    return o;
}

static void
lease_begin(struct attempt *a, struct worker *w)
{
    a->lease = xcalloc(1, sizeof *a->lease);
    a->lease->worker = w;
    a->lease->begun_ns = now_ns();
    worker_secret(a->lease->fence);
    w->attempt = a;
    a->node = xstrdup(w->node);
    a->driver = xstrdup(w->driver);
    a->insecure = w->insecure;
    a->place = &attempt_on_worker;
}

static void
answer_taken(struct http_call *c, void *arg)
{
    (void)arg;
    reply_done(c);
}

void
lease_end(struct attempt *a)
{
    struct lease *l = a->lease;

    if (l == NULL)
        return;
    a->lease = NULL;
    a->place = &attempt_here;
    l->worker->attempt = NULL;
    if (l->call != NULL)
        call_resume(l->call, answer_taken, NULL);
    buf_free(&l->text);
    free(l);
}

int
attempt_lease(struct attempt *a, struct worker *w, cJSON **out, struct report *r)
{
    struct buf source = {0};
    char *own_case = NULL, *seed = NULL;
    const char *hash = NULL;
    bool found = false;
    int rc = attempt_read_source(a, &found, &source, r);

    if (rc == 0 && found)
        rc = attempt_read_own_case(a, &own_case, r);
    if (rc == 0 && found)
        rc = attempt_read_seed(a, &seed, r);
    if (rc == 0 && found) {
        struct report why = {0};

        attempt_note_meaning(a);
        hash = archives_hash(a->daemon->archives, a->problem, &why);
        if (hash == NULL)
            attempt_give_up(a, why.text);
    } else if (rc == 0) {
        attempt_give_up(a, "its source is not in the database any more");
    }
    if (hash != NULL) {
        lease_begin(a, w);
        *out = lease_json(a, hash, &source, own_case, seed);
        a->phase = COMPILING;
        attempt_tell(a, "{\"event\":\"compiling\"}");
        log_line("%s: attempt %d begins on %s (%s)", a->label, a->number, w->node,
                 w->device);
    }
    free(own_case);
    free(seed);
    buf_free(&source);
    return rc;
}

void
lease_lost(struct attempt *a, const char *why)
{
    attempt_failed(a, why);
}

void
leases_store_loss(struct store *s, struct attempt *const *list, size_t count)
{
    struct next_attempt *next = xcalloc(count + 1, sizeof *next);
    struct report r = {0};
    size_t n = 0;
    bool stored;

    for (size_t i = 0; i < count; i++)
        if (list[i]->idle == IDLE_NOT && list[i]->number < LEASES_MAX)
            next[n++] = (struct next_attempt){list[i]->id, list[i]->number + 1};
    stored = n > 0 && store_set_attempts(s, next, n, &r) == 0;
    if (n > 0 && !stored)
        log_line("%s", r.text);
    for (size_t i = 0; stored && i < count; i++)
        list[i]->next_stored = list[i]->idle == IDLE_NOT && list[i]->number < LEASES_MAX;
    free(next);
}

/* --- what the worker says ----------------------------------------------- */

bool
lease_is_current(const struct worker *w, const struct worker_message *m, struct report *r)
{
    const struct attempt *a = w->attempt;

    if (a != NULL && a->phase != READING && a->id == m->submission &&
        a->number == m->attempt && strcmp(a->lease->fence, m->fence) == 0)
        return true;
    report_fail(r,
                "attempt %lld of submission %lld is not this worker's: it was given up, "
                "cancelled or is done, and nothing of it counts any more",
                (long long)m->attempt, (long long)m->submission);
    return false;
}

/* Counts for how long the submission has waited, once. */
static void
lease_count_wait(struct attempt *a)
{
    if (!a->lease->wait_counted && a->number == 1 && a->idle == IDLE_NOT)
        histogram_add(&a->daemon->metrics->wait,
                      (double)(now_ms() - a->created_ms) / 1000);
    a->lease->wait_counted = true;
}

static void
lease_judges(struct attempt *a)
{
    if (a->phase != COMPILING)
        return;
    a->phase = RUNNING;
    a->timing_ns = 0;
    a->go_ns = now_ns();
    lease_count_wait(a);
}

void
lease_take_progress(struct attempt *a, const struct worker_message *m)
{
    if (m->event[0] == '\0' || strcmp(m->event, "compiling") == 0)
        return;
    lease_judges(a);
    if (strcmp(m->event, "judging") == 0)
        return;
    if (a->timing_ns == 0 && strcmp(m->event, "timing") == 0)
        a->timing_ns = now_ns();
    told_course(a, m->event, "\"done\":%lld,\"of\":%lld", (long long)m->done,
                (long long)m->of);
}

/* To UNSAVED or to another attempt, by what is in the two files. */
static void
lease_take_verdict(struct attempt *a, struct read_result *read)
{
    if (!read->has_compiled) {
        attempt_failed(a, read->why.text);
        return;
    }
    compile_result_free(&a->compiled);
    a->compiled = read->compiled;
    read->compiled = (struct compile_result){0};
    if (a->compiled.ok) {
        lease_count_wait(a); /* the worker need not have told that it judges */
        histogram_add(&a->daemon->metrics->phase[PHASE_COMPILE], a->compiled.seconds);
        if (!attempt_judge_compiled(a))
            attempt_take_result(a, read);
    } else if (a->compiled.verdict == VERDICT_JUDGE_ERROR) {
        attempt_failed(a, a->compiled.message);
    } else if (a->compiled.verdict == VERDICT_ACCEPTED ||
               a->compiled.verdict == VERDICT_CANCELLED) {
        attempt_failed(a, "its result has a verdict that no compiler can give");
    } else {
        attempt_not_compiled(a);
    }
}

void
lease_take_result(struct attempt *a, struct read_result *read)
{
    struct worker *w = a->lease->worker;

    lease_take_verdict(a, read);
    if (a->phase == UNSAVED)
        workers_note_rates(a->daemon->workers, w, a->result.timing.conditions);
    /* An attempt that failed has ended its lease itself. */
    if (a->lease != NULL) {
        w->judged++;
        lease_end(a);
    }
}

int
lease_take_part(struct attempt *a, const struct worker_message *m, struct http_call *c,
                struct report *r)
{
    struct lease *l = a->lease;

    if (m->part != l->parts + 1 || m->parts < 1)
        return report_fail(r, "part %lld of the result does not follow part %lld",
                           (long long)m->part, (long long)l->parts);
    if (l->text.len + strlen(m->text) > RESULT_TEXT_MAX)
        return report_fail(r, "the result is longer than %zu bytes", RESULT_TEXT_MAX);
    buf_puts(&l->text, m->text);
    l->parts = m->part;
    if (m->part < m->parts) {
        reply_done(c);
        return 0;
    }
    l->call = call_wait(c);
    attempt_read_result(a, &l->text);
    return 0;
}

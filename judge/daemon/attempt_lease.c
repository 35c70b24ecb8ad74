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
#include "daemon/worker_pairs.h"
#include "daemon/worker_tokens.h"
#include "daemon/workers.h"

#include <fcntl.h>
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

    buf_printf(&a->history, "%sattempt %d%s on %s (%s): %s",
               a->history.len > 0 ? "; " : "", a->number,
               lease_is_spared(a) ? ", which did not count," : "", w->node, w->device,
               why);
    workers_note_loss(a->daemon->workers, a->lease->worker);
}

const struct attempt_place attempt_on_worker = {
    .attempts_max = LEASES_MAX,
    .kill = lease_kill,
    .stop = lease_stop,
    .failed = lease_note_failure,
};

bool
lease_is_spared(const struct attempt *a)
{
    return a->lease != NULL && !a->spared &&
           (a->artefact_pool != NULL || a->lease->worker->role == WORKER_COMPILES);
}

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

/* What a worker that only compiles must know of the device. */
static void
lease_add_target(const struct attempt *a, cJSON *o)
{
    const struct device_entry *e = devices_find(&a->daemon->devices, a->device);
    const bool emulates = strcmp(attempt_board(a), "emu") == 0;

    cJSON_AddStringToObject(o, "device", emulates ? "emu" : "cuda:0");
    cJSON_AddStringToObject(o, "arch", e != NULL ? e->arch : "");
}

static char *
lease_artefact_path(const struct attempt *a)
{
    return xasprintf("%s/" ARTEFACT_FILE, a->folder);
}

int
lease_open_artefact(const struct attempt *a, struct report *r)
{
    char *path = lease_artefact_path(a);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0)
        report_errno(r, "%s cannot be opened", path);
    free(path);
    return fd;
}

bool
lease_has_artefact(const struct attempt *a, const char *hash)
{
    return a->lease != NULL && a->lease->kind == LEASE_JUDGE &&
           strcmp(a->artefact_hash, hash) == 0;
}

/* Adds which artefact the worker is to fetch. */
static void
lease_add_artefact(const struct attempt *a, cJSON *o)
{
    cJSON *artefact = cJSON_AddObjectToObject(o, "artefact");

    cJSON_AddStringToObject(artefact, "sha256", a->artefact_hash);
    cJSON_AddNumberToObject(artefact, "bytes", (double)a->artefact_bytes);
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
    if (a->lease->worker->role == WORKER_COMPILES)
        lease_add_target(a, o);
    if (a->lease->worker->partner != NULL)
        cJSON_AddStringToObject(o, "partner", a->lease->worker->partner->device);
    if (a->lease->kind == LEASE_JUDGE)
        lease_add_artefact(a, o);
    return o;
}

static enum lease_kind
lease_kind_for(const struct attempt *a, const struct worker *w)
{
    if (a->artefact_pool != NULL)
        return LEASE_JUDGE;
    return w->role == WORKER_COMPILES && a->profile != PROFILE_GRADE_COMPILE
               ? LEASE_COMPILE
               : LEASE_WHOLE;
}

static void
lease_begin(struct attempt *a, struct worker *w)
{
    a->lease = xcalloc(1, sizeof *a->lease);
    a->lease->kind = lease_kind_for(a, w);
    a->lease->worker = w;
    a->lease->begun_ns = now_ns();
    worker_secret(a->lease->fence);
    worker_has_lease(w, a);
    free(a->node);
    free(a->driver);
    a->node = xstrdup(w->node);
    a->driver = xstrdup(w->driver);
    /* The worker that compiled it must have had a sandbox, too. */
    a->insecure = (a->lease->kind == LEASE_JUDGE && a->insecure) || w->insecure;
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
    worker_has_no_lease(l->worker);
    worker_part(l->worker);
    workers_give_memory(a->daemon->workers, l->worker->role, l->bytes);
    if (l->call != NULL)
        call_resume(l->call, answer_taken, NULL);
    buf_free(&l->text);
    free(l);
}

/* What a lease needs of the store. */
struct lease_input {
    struct buf source;
    char *own_case, *seed;
};

static int
lease_read_input(const struct attempt *a, struct lease_input *in, bool *found,
                 struct report *r)
{
    int rc = attempt_read_source(a, found, &in->source, r);

    if (rc == 0 && *found)
        rc = attempt_read_own_case(a, &in->own_case, r);
    if (rc == 0 && *found)
        rc = attempt_read_seed(a, &in->seed, r);
    return rc;
}

static void
lease_free_input(struct lease_input *in)
{
    buf_free(&in->source);
    free(in->own_case);
    free(in->seed);
}

/* Begins the lease of an attempt of which everything is there. */
static cJSON *
lease_give(struct attempt *a, struct worker *w, const char *hash,
           const struct lease_input *in)
{
    lease_begin(a, w);
    hash_hex(buf_str(&in->source), in->source.len, a->lease->source);
    if (a->lease->kind != LEASE_JUDGE) {
        a->phase = COMPILING;
        attempt_tell(a, "{\"event\":\"compiling\"}");
    }
    log_line("%s: attempt %d %s on %s (%s)", a->label, a->number,
             a->lease->kind == LEASE_JUDGE ? "is judged" : "begins", w->node, w->device);
    return lease_json(a, hash, &in->source, in->own_case, in->seed);
}

/* Begins the lease, if the problem is packed as it is now. Where it has just changed, the
 * attempt waits until a thread has packed it, and *out stays as it is. */
static void
lease_give_packed(struct attempt *a, struct worker *w, const struct lease_input *in,
                  cJSON **out)
{
    struct report why = {0};
    const char *hash;

    if (a->artefact_pool == NULL)
        attempt_note_meaning(a);
    switch (archives_hash(a->daemon->archives, a->problem, &hash, &why)) {
    case ARCHIVE_PACKED:
        *out = lease_give(a, w, hash, in);
        break;
    case ARCHIVE_BROKEN:
        attempt_give_up(a, why.text);
        break;
    case ARCHIVE_PACKING:
        break;
    }
}

int
attempt_lease(struct attempt *a, struct worker *w, cJSON **out, struct report *r)
{
    struct lease_input in = {0};
    bool found = false;
    int rc = lease_read_input(a, &in, &found, r);

    if (rc == 0 && found) {
        lease_give_packed(a, w, &in, out);
    } else if (rc == 0) {
        attempt_give_up(a, "its source is not in the database any more");
    }
    lease_free_input(&in);
    return rc;
}

/* Answers a worker that has sent its result, whose token may not be good any more. */
static void
answer_void(struct http_call *c, void *arg)
{
    const struct worker *w = arg;

    if (worker_may_go_on(c, w->role))
        reply_done(c);
}

void
lease_void(struct attempt *a, const char *why)
{
    struct lease *l = a->lease;
    struct waiting_call *call = l->call;

    log_line("%s: attempt %d on %s (%s) does not count: %s", a->label, a->number,
             l->worker->node, l->worker->device, why);
    buf_printf(&a->history, "%sattempt %d, which did not count, on %s (%s): %s",
               a->history.len > 0 ? "; " : "", a->number, l->worker->node,
               l->worker->device, why);
    a->uncounted++;
    attempt_has_another(a);
    l->call = NULL;
    if (call != NULL)
        call_resume(call, answer_void, l->worker);
    lease_end(a);
}

void
lease_lost(struct attempt *a, const char *why)
{
    attempt_failed(a, why);
}

/* Does the store have the number of the attempt that follows? */
static bool
lease_loss_is_stored(const struct attempt *a)
{
    return a->idle == IDLE_NOT && a->number < LEASES_MAX && !lease_is_spared(a);
}

void
leases_store_loss(struct store *s, struct attempt *const *list, size_t count)
{
    struct next_attempt *next = xcalloc(count + 1, sizeof *next);
    struct report r = {0};
    size_t n = 0;
    bool stored;

    for (size_t i = 0; i < count; i++)
        if (lease_loss_is_stored(list[i]))
            next[n++] = (struct next_attempt){list[i]->id, list[i]->number + 1};
    stored = n > 0 && store_set_attempts(s, next, n, &r) == 0;
    if (n > 0 && !stored)
        log_line("%s", r.text);
    for (size_t i = 0; stored && i < count; i++)
        list[i]->next_stored = lease_loss_is_stored(list[i]);
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

static bool
lease_judges(struct attempt *a)
{
    if (a->phase != COMPILING && a->phase != READY)
        return false;
    a->phase = RUNNING;
    a->timing_ns = 0;
    a->go_ns = a->own_ns = now_ns();
    lease_count_wait(a);
    return true;
}

bool
lease_take_progress(struct attempt *a, const struct worker_message *m)
{
    bool changed;

    if (m->event[0] == '\0' || strcmp(m->event, "compiling") == 0 ||
        a->lease->kind == LEASE_COMPILE)
        return false;
    changed = lease_judges(a);
    if (strcmp(m->event, "judging") == 0)
        return changed;
    if (a->timing_ns == 0 && strcmp(m->event, "timing") == 0)
        a->timing_ns = now_ns();
    told_course(a, m->event, "\"done\":%lld,\"of\":%lld", (long long)m->done,
                (long long)m->of);
    return changed;
}

/* --- results ------------------------------------------------------------ */

/* What the artefact of this attempt, by this worker, must say of itself. */
static struct artefact_origin
lease_origin(const struct attempt *a)
{
    const struct worker *w = a->lease->worker;
    const struct device_entry *e = devices_find(&a->daemon->devices, a->device);
    struct artefact_origin origin = {.submission = a->id,
                                     .attempt = a->number,
                                     .arch = e != NULL ? e->arch : "",
                                     .toolkit = w->toolkit,
                                     .linked = w->linked};

    memcpy(origin.source, a->lease->source, sizeof origin.source);
    return origin;
}

/* This machine cannot keep what was compiled, which is neither the worker's fault nor an
 * attempt. It is compiled again once there is room. */
static void
lease_cannot_keep(struct attempt *a, const struct report *why)
{
    log_line("%s: attempt %d does not count, what was compiled cannot be kept: %s",
             a->label, a->number, why->text);
    a->uncounted++;
    attempt_has_another(a);
    lease_end(a);
    queue_pause_leases(a->queue, why);
}

/* It is compiled: what came is kept for whoever judges it. */
static void
lease_take_artefact(struct attempt *a, const struct read_result *read)
{
    if (read->cannot_write) {
        lease_cannot_keep(a, &read->artefact_why);
        return;
    }
    if (!read->has_artefact) {
        attempt_failed(a, read->artefact_why.text);
        return;
    }
    a->artefact_pool = xstrdup(a->lease->worker->board->board);
    a->artefact_token = a->lease->worker->token;
    memcpy(a->artefact_hash, read->artefact_hash, sizeof a->artefact_hash);
    a->artefact_bytes = read->artefact_bytes;
    a->phase = READY;
    told_course(a, "compiled", "\"cached\":%s", a->compiled.cached ? "true" : "false");
}

/* The submission compiles. */
static void
lease_take_compiled(struct attempt *a, struct read_result *read)
{
    histogram_add(&a->daemon->metrics->phase[PHASE_COMPILE], a->compiled.seconds);
    if (a->lease->kind == LEASE_COMPILE) {
        lease_take_artefact(a, read);
        return;
    }
    lease_count_wait(a); /* the worker need not have told that it judges */
    if (attempt_judge_compiled(a))
        return;
    if (read->has_result)
        attempt_take_result(a, read);
    else
        attempt_failed(a, "the worker's result does not say what was judged");
}

/* What was compiled is read as it is of a compiler of ours. */
static void
lease_take_compile(struct attempt *a, struct read_result *read)
{
    const double held_s = (double)(now_ns() - a->lease->begun_ns) / 1e9;

    if (!read->has_compiled) {
        attempt_failed(a, "its result does not say what was compiled");
        return;
    }
    compile_result_free(&a->compiled);
    a->compiled = read->compiled;
    read->compiled = (struct compile_result){0};
    if (a->compiled.seconds > held_s) /* its user is not charged for a worker's word */
        a->compiled.seconds = held_s;
    if (a->compiled.ok) {
        lease_take_compiled(a, read);
    } else if (a->compiled.verdict == VERDICT_JUDGE_ERROR) {
        attempt_failed(a, a->compiled.message);
    } else if (a->compiled.verdict != VERDICT_COMPILE_ERROR) {
        attempt_failed(a, "its result has a verdict that no compiler can give");
    } else {
        attempt_not_compiled(a);
    }
}

/* To UNSAVED, to READY or to another attempt. A worker that only compiles says nothing of
 * the judgement, and one that has got an artefact says nothing of how it was compiled. */
static void
lease_take_verdict(struct attempt *a, struct read_result *read)
{
    if (read->is_bad) {
        attempt_failed(a, read->why.text);
    } else if (a->lease->kind != LEASE_JUDGE) {
        lease_take_compile(a, read);
    } else if (read->has_result) {
        lease_count_wait(a);
        attempt_take_result(a, read);
    } else {
        attempt_failed(a, "it was to be judged, and its result does not say how");
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
        workers_note_result(a->daemon->workers, w);
        lease_end(a);
    }
}

/* Has the result read of who only compiles. Its artefact goes into the attempt's folder.
 */
static void
lease_read_compiled(struct attempt *a)
{
    const struct artefact_origin origin = lease_origin(a);
    struct report r = {0};
    char *path;

    if (attempt_make_empty_folder(a, &r) != 0) {
        attempt_give_memory(a);
        lease_cannot_keep(a, &r);
        return;
    }
    path = lease_artefact_path(a);
    attempt_read_result(a, (struct result_task){.text = &a->lease->text,
                                                .origin = &origin,
                                                .artefact_path = path});
    free(path);
}

int
lease_take_part(struct attempt *a, const struct worker_message *m, struct http_call *c,
                struct report *r)
{
    struct lease *l = a->lease;
    const size_t len = strlen(m->text);

    if (m->part != l->parts + 1 || m->parts < 1)
        return report_fail(r, "part %lld of the result does not follow part %lld",
                           (long long)m->part, (long long)l->parts);
    if (l->text.len + len > RESULT_TEXT_MAX)
        return report_fail(r, "the result is longer than %zu bytes", RESULT_TEXT_MAX);
    if (!workers_take_memory(a->daemon->workers, l->worker->role, len)) {
        reply_later(c, 503, "results of too many bytes are sent now: send it again");
        return 0;
    }
    buf_add(&l->text, m->text, len);
    l->bytes += len;
    l->parts = m->part;
    if (m->part < m->parts) {
        reply_done(c);
        return 0;
    }
    l->call = call_wait(c);
    a->unread_bytes = l->bytes;
    a->unread_role = l->worker->role;
    l->bytes = 0;
    if (l->kind == LEASE_COMPILE)
        lease_read_compiled(a);
    else
        attempt_read_result(a, (struct result_task){.text = &l->text});
    return 0;
}

/*
 * One attempt at judging a submission, from its folder to its result. Time runs downward.
 *
 *     daemon                       warpjudge-compile        warpjudge-arbiter
 *     writes the job folder
 *     starts                   ->  compiles
 *     starts, if its turn has come, or is next          ->  opens the device
 *     <- {"event":"submission"}    waits for the reference
 *     <- {"event":"reference"}     links the reference
 *     "reference"                                       ->  prepares inputs and answers
 *     <- exit, or {"event":"linked"}; compile.json      links the submission
 *     "go", when its turn has come, or "follow"         ->  runs the submission
 *                                  on emu: runs ptxas meanwhile
 *     <- exit, compile.json
 *     "assembled"                                       ->  times it
 *     <- {"event":"test",...}, {"event":"result"}           writes result.json
 *     reads it in a thread                                  leaves, or is idle
 *     stores it, tells the user
 *     keeps it for another     <- {"event":"idle"}
 *
 * Once the arbiter says that result.json is the result, no exit status changes it. Before
 * that, any exit status but 0, a signal and the watchdog are failures of ours, never the
 * user's. So is a result that is missing or damaged. The attempt is then thrown away.
 * When all its processes are gone, a second one is made from scratch. If that fails too,
 * the verdict is judge_error.
 */
#include "daemon/attempt.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "daemon/arbiters.h"
#include "daemon/attempt_lease.h"
#include "daemon/lease_choice.h"
#include "daemon/log.h"
#include "daemon/meanings.h"
#include "daemon/metrics.h"
#include "daemon/result_reading.h"
#include "daemon/specs.h"
#include "daemon/streams.h"
#include "daemon/workers.h"
#include "problem/budget.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ATTEMPTS_MAX 2
/* This is for the watchdog over a program of ours. The limits that it holds a submission
 * to are in used time and far below, however busy the machine is. */
#define ARBITER_LIMIT_MS 7200000
#define STOP_GRACE_MS 2000
#define DROP_GRACE_MS 10000       /* it looks up after each of the reference's calls */
#define STOP_AHEAD_GRACE_MS 20000 /* it ends only when it disturbs no timed call */

struct attempt *
attempt_new(struct queue *q, struct daemon *d, int64_t id, const struct idle_work *idle)
{
    struct attempt *a = xcalloc(1, sizeof *a);
    const bool house = idle != NULL && idle->kind == IDLE_HOUSE;

    a->queue = q;
    a->daemon = d;
    a->id = id;
    a->number = 1;
    a->place = &attempt_here;
    a->idle = idle != NULL ? idle->kind : IDLE_NOT;
    a->idle_run = idle != NULL ? idle->run : 0;
    a->source = idle != NULL && idle->source != NULL ? xstrdup(idle->source) : NULL;
    a->label = house ? xasprintf("house, %s/%s", idle->problem, idle->filename)
                     : xasprintf("submission %lld", (long long)id);
    return a;
}

void
attempt_free(struct attempt *a)
{
    lease_end(a);
    attempt_remove_folder(a);
    compile_result_free(&a->compiled);
    result_free(&a->result);
    buf_free(&a->history);
    free(a->node);
    free(a->driver);
    free(a->problem);
    free(a->device);
    free(a->partner);
    free(a->filename);
    free(a->source);
    free(a->label);
    free(a->last_event);
    free(a->line_reason);
    free(a->artefact_pool);
    free(a);
}

double
attempt_left_ms(const struct attempt *a, uint64_t now)
{
    const double gone = a->go_ns > 0 ? (double)(now - a->go_ns) / 1e6 : 0;

    return a->cost_ms > gone ? a->cost_ms - gone : 0;
}

int
attempt_estimate_s(const struct attempt *a)
{
    return (int)(a->wait_ms / 1000 + 0.5);
}

void
attempt_tell(struct attempt *a, const char *format, ...)
{
    char line[512];
    va_list ap;

    if (a->idle != IDLE_NOT)
        return;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    streams_tell(a->daemon->streams, a->id, line);
    free(a->last_event);
    a->last_event = xstrdup(line);
}

/* --- decisions ---------------------------------------------------------- */

double
attempt_use_ms(const struct attempt *a, uint64_t now)
{
    return a->own_ns > 0 ? (double)(now - a->own_ns) / 1e6 : 0;
}

/* The same for an attempt that ends now, in whichever phase. */
static double
attempt_end_use_ms(const struct attempt *a)
{
    if (a->phase == READING)
        return a->used_ms;
    return a->phase == RUNNING ? attempt_use_ms(a, now_ns()) : 0;
}

/* Counts for how long an attempt that is judged was tested and timed. */
static void
attempt_count_phases(const struct attempt *a)
{
    struct metrics *m = a->daemon->metrics;
    const uint64_t now = now_ns(), end = a->timing_ns > 0 ? a->timing_ns : now;

    if (a->phase != RUNNING)
        return;
    histogram_add(&m->phase[PHASE_TESTS], (double)(end - a->go_ns) / 1e9);
    if (a->timing_ns > 0)
        histogram_add(&m->phase[PHASE_TIMING], (double)(now - a->timing_ns) / 1e9);
}

void
attempt_is_judged(struct attempt *a, struct result result)
{
    attempt_count_phases(a);
    result_free(&a->result);
    a->result = result;
    a->used_ms = attempt_end_use_ms(a);
    a->phase = UNSAVED;
}

void
attempt_give_up(struct attempt *a, const char *why)
{
    attempt_is_judged(
        a, (struct result){.verdict = VERDICT_JUDGE_ERROR,
                           .message = xasprintf("the judge failed, this is not your "
                                                "kernel's fault: %s",
                                                why)});
}

void
attempt_has_another(struct attempt *a)
{
    a->next_stored = false;
    a->again = true;
    a->phase = DRAINING;
}

/* Plans another attempt, from scratch, for when this one's processes have ended. */
static void
attempt_try_again(struct attempt *a, const char *why)
{
    struct report r = {0};

    if (lease_is_spared(a)) {
        log_line("%s: attempt %d does not count, another compiles it: %s", a->label,
                 a->number, why);
        a->spared = true;
        a->uncounted++;
        attempt_has_another(a);
        return;
    }
    log_line("%s: attempt %d of %d failed: %s", a->label, a->number,
             a->place->attempts_max, why);
    /* Where even this cannot be written, as on a full disk, the machine is in trouble,
     * and the attempt does not count. */
    if (a->idle != IDLE_NOT || a->next_stored ||
        store_set_attempt(a->daemon->store, a->id, a->number + 1, &r) == 0)
        a->number++;
    else {
        a->uncounted++;
        log_line("%s: %s", a->label, r.text);
        queue_pause_leases(a->queue, &r);
    }
    attempt_has_another(a);
}

static void
on_devices_refreshed(void *arg)
{
    queue_step(arg);
}

/* The device may be gone. The queue then gives the submission up with a sentence that
 * says so, and nobody can choose the device any more. */
static void
attempt_failed_here(struct attempt *a, const char *why)
{
    struct daemon *d = a->daemon;

    if (a->history.len > 0)
        buf_printf(&a->history, "; attempt %d on the judge's own machine: %s", a->number,
                   why);
    devices_refresh(&d->devices, &d->config, d->children, on_devices_refreshed, a->queue);
}

static void
attempt_kill_here(struct attempt *a)
{
    if (a->compiler != NULL)
        child_kill(a->compiler);
    if (a->arbiter != NULL)
        child_kill(a->arbiter);
}

static void
attempt_stop_here(struct attempt *a, enum phase before)
{
    if (a->compiler != NULL)
        child_kill(a->compiler);
    /* The end of one that prepares ahead must not disturb the timed calls of another. */
    if (a->arbiter != NULL && before < RUNNING && (a->prepares_ahead || a->fence > 0))
        attempt_drop_preparation(a);
    else if (a->arbiter != NULL && a->measured_ns > 0)
        child_set_limit(a->arbiter, ARBITER_LEAVE_S * 1000); /* another follows */
    else if (a->arbiter != NULL && !a->dropped)
        child_kill(a->arbiter);
}

const struct attempt_place attempt_here = {
    .attempts_max = ATTEMPTS_MAX,
    .kill = attempt_kill_here,
    .stop = attempt_stop_here,
    .failed = attempt_failed_here,
};

void
attempt_failed(struct attempt *a, const char *why)
{
    const struct attempt_place *place = a->place;

    a->daemon->metrics->failed_attempts++;
    place->failed(a, why);
    if (a->number < place->attempts_max || lease_is_spared(a)) {
        attempt_try_again(a, why);
    } else {
        log_line("%s: attempt %d of %d failed: %s", a->label, a->number,
                 place->attempts_max, why);
        attempt_give_up(a, a->history.len > 0 ? buf_str(&a->history) : why);
    }
    place->kill(a);
}

void
attempt_ended_badly(struct attempt *a, const char *program, const struct child_end *end)
{
    char *text = child_end_text(end);
    char *why = xasprintf("%s %s", program, text);

    attempt_failed(a, why);
    free(why);
    free(text);
}

/* Is the problem still what it was when the attempt began? A result of both belongs to
 * neither. */
static bool
attempt_problem_stays(const struct attempt *a)
{
    return strcmp(a->meaning,
                  meanings_get(a->daemon->meanings, a->problem, attempt_board(a))) == 0;
}

/* May what was read be believed? A worker's result must be of the board that the worker
 * judges for. */
static int
attempt_check_result(const struct attempt *a, const struct result *res, struct report *r)
{
    if (a->lease != NULL && res->board[0] != '\0' &&
        strcmp(res->board, a->lease->worker->board->board) != 0)
        return report_fail(r, "its result is of another board, %.100s", res->board);
    return result_check(res, attempt_has_samples_only(a), r);
}

void
attempt_take_result(struct attempt *a, struct read_result *read)
{
    struct result *res = &read->result;
    struct report r = {0};
    bool stays;

    if (!read->has_result) {
        attempt_failed(a, read->why.text);
    } else if (attempt_check_result(a, res, &r) != 0) {
        attempt_failed(a, r.text);
    } else if (res->verdict == VERDICT_JUDGE_ERROR) {
        attempt_failed(a, res->message);
    } else if (res->may_retry && a->number < a->place->attempts_max) {
        attempt_try_again(a, res->message);
    } else if (!(stays = attempt_problem_stays(a)) &&
               a->number < a->place->attempts_max) {
        attempt_try_again(a, "the problem was changed meanwhile");
    } else {
        if (!stays)
            a->meaning[0] = '\0';
        attempt_is_judged(a, *res);
        *res = (struct result){0};
    }
}

void
attempt_give_memory(struct attempt *a)
{
    workers_give_memory(a->daemon->workers, a->unread_role, a->unread_bytes);
    a->unread_bytes = 0;
}

/* An attempt that was cancelled or given up meanwhile has only waited for this. */
static void
attempt_on_read(void *arg, struct read_result *read)
{
    struct attempt *a = arg;

    a->being_read = false;
    attempt_give_memory(a);
    if (read == NULL)
        return;
    if (a->phase == READING && a->lease != NULL)
        lease_take_result(a, read);
    else if (a->phase == READING)
        attempt_take_result(a, read);
    queue_step(a->queue);
}

void
attempt_read_result(struct attempt *a, struct result_task task)
{
    task.done = attempt_on_read;
    task.arg = a;
    attempt_count_phases(a);
    a->used_ms = attempt_end_use_ms(a);
    a->phase = READING;
    a->being_read = true;
    result_reading_add(a->daemon->readings, &task);
}

int
attempt_save(struct attempt *a, struct report *r)
{
    /* Nobody pays for a failure of ours. */
    const bool counts = a->result.verdict != VERDICT_JUDGE_ERROR;
    struct finished_submission finished = {
        .result = &a->result,
        .device_ms = counts ? (int64_t)a->used_ms : 0,
        .compile_seconds = a->compiled.seconds,
        .compile_cached = a->compiled.cached,
        .source = a->compiled.source,
        .ptx = a->compiled.ptx,
        .meaning = a->meaning[0] != '\0' ? a->meaning : NULL,
        .node = a->node,
        .driver = a->driver,
        .insecure = a->insecure || a->daemon->settings.insecure};

    if (a->idle != IDLE_NOT) {
        if (idle_take(a->daemon, a->idle, a->idle_run, a->id, &finished, r) != 0)
            return -1;
        a->result = (struct result){0};
        a->again = false;
        a->phase = DRAINING;
        return 0;
    }
    if (store_record(a->daemon->store, a->id, &finished, r) != 0)
        return -1;
    log_line("%s: %s (%s on %s)", a->label, verdict_name(a->result.verdict), a->problem,
             a->device);
    a->daemon->metrics->verdicts[a->result.verdict][strcmp(a->device, "emu") == 0]
                                [a->sample_tests_only]++;
    a->again = false;
    a->phase = DRAINING;
    told_done(a);
    return 0;
}

bool
attempt_is_recorded(const struct attempt *a)
{
    return a->phase == DRAINING && !a->again;
}

void
attempt_drop(struct attempt *a)
{
    const enum phase phase = a->phase;

    a->again = false;
    a->phase = DRAINING;
    a->place->stop(a, phase);
}

int
attempt_cancel(struct attempt *a, const char *message, struct report *r)
{
    const enum phase phase = a->phase;
    const double used_ms = a->used_ms;
    struct result old = a->result;

    if (a->phase != UNSAVED)
        a->used_ms = attempt_end_use_ms(a);
    a->result =
        (struct result){.verdict = VERDICT_CANCELLED, .message = xstrdup(message)};
    if (attempt_save(a, r) != 0) {
        result_free(&a->result);
        a->result = old;
        a->used_ms = used_ms;
        return -1;
    }
    result_free(&old);
    a->place->stop(a, phase);
    return 0;
}

bool
attempt_is_leaving(const struct attempt *a)
{
    if (a->phase == DRAINING)
        return (a->said_result || a->measured_ns > 0) && !a->again;
    return a->measured_ns > 0 && a->phase >= RUNNING;
}

bool
attempt_drained(struct attempt *a)
{
    lease_end(a);
    attempt_remove_folder(a);
    if (!a->again)
        return false;
    compile_result_free(&a->compiled);
    free(a->node);
    free(a->driver);
    a->node = a->driver = NULL;
    a->insecure = false;
    a->reference_ready = a->prepared_early = a->again = a->said_result = false;
    a->submission_made = a->assembled = false;
    a->measured_ns = 0;
    free(a->artefact_pool);
    a->artefact_pool = NULL;
    a->artefact_token = 0;
    a->artefact_void = false;
    a->line_position = 0;
    a->phase = QUEUED;
    lease_note_pair(a);
    return true;
}

void
attempt_compile_anew(struct attempt *a)
{
    a->again = true;
    (void)attempt_drained(a);
}

/* --- the arbiter -------------------------------------------------------- */

/* Passes an arbiter's progress on to the watchers. */
static void
attempt_tell_progress(struct attempt *a, const char *event, const cJSON *o)
{
    struct report r = {0};
    int64_t done, of;

    if (json_get_int(o, "done", &done, &r) == 0 && json_get_int(o, "of", &of, &r) == 0)
        told_course(a, event, "\"done\":%lld,\"of\":%lld", (long long)done,
                    (long long)of);
    else
        log_line("%s: arbiter: %s", a->label, r.text);
}

/* The arbiter has said its result, and has nothing left to do but to leave. */
static void
arbiter_said_result(struct attempt *a)
{
    a->said_result = true;
    child_set_limit(a->arbiter, ARBITER_LEAVE_S * UINT64_C(1000));
    attempt_read_result(a, (struct result_task){.folder = a->folder});
    queue_step(a->queue);
}

static void
arbiter_has_ended_idle(void *arg)
{
    queue_step(arg);
}

/* An arbiter that stays has given back everything of this judgement. It is nobody's from
 * here on. */
static void
arbiter_is_idle(struct attempt *a)
{
    arbiters_keep(a->daemon->arbiters, a->device, a->arbiter, arbiter_has_ended_idle,
                  a->queue);
    a->arbiter = NULL;
    a->has_capacity = a->leaving = a->dropped = false;
    queue_step(a->queue);
}

/* Takes an event that is known. Others are not passed on. */
static void
arbiter_take_event(struct attempt *a, const char *event, const cJSON *o)
{
    a->unheard = false;
    if (a->phase == RUNNING &&
        (strcmp(event, "test") == 0 || strcmp(event, "timing") == 0)) {
        if (a->timing_ns == 0 && strcmp(event, "timing") == 0)
            a->timing_ns = now_ns();
        attempt_tell_progress(a, event, o);
    } else if (a->phase == RUNNING && strcmp(event, "room") == 0) {
        a->has_capacity = true;
        queue_step(a->queue);
    } else if (a->phase == RUNNING && strcmp(event, "measured") == 0) {
        a->measured_ns = now_ns();
        queue_step(a->queue);
    } else if (a->phase == RUNNING && strcmp(event, "result") == 0) {
        arbiter_said_result(a);
    } else if (a->measured_ns > 0 && strcmp(event, "result") == 0) {
        a->said_result = true; /* it was cancelled meanwhile */
    } else if (a->fence > 0 && (a->said_result || a->dropped) &&
               strcmp(event, "idle") == 0) {
        arbiter_is_idle(a);
    }
}

/* Does this event belong to the attempt? Those of an arbiter that stays say to which. */
static bool
arbiter_means(const struct attempt *a, const cJSON *o)
{
    const cJSON *job = cJSON_GetObjectItemCaseSensitive(o, "job");
    char fence[ARBITER_FENCE_MAX];

    if (a->fence == 0)
        return job == NULL;
    snprintf(fence, sizeof fence, "%ju", (uintmax_t)a->fence);
    return cJSON_IsString(job) && strcmp(job->valuestring, fence) == 0;
}

/* A line of the arbiter's. */
static void
arbiter_line(void *arg, const char *line)
{
    struct attempt *a = arg;
    struct report r = {0};
    cJSON *o = json_parse(line, strlen(line), "arbiter", &r);
    char *event = NULL;

    if (o == NULL || json_get_string(o, "event", &event, &r) != 0)
        log_line("%s: %s", a->label, r.text);
    else if (!arbiter_means(a, o))
        log_line("%s: an arbiter's line is of another judgement: %s", a->label, line);
    else
        arbiter_take_event(a, event, o);
    free(event);
    cJSON_Delete(o);
}

/* Logs a bad end from which nothing follows. One that was told to leave may end so, and
 * so may one that was killed in DRAINING. */
static void
arbiter_log_bad_end(const struct attempt *a, const struct child_end *end)
{
    const char *when;
    char *text;

    if (a->said_result)
        when = "after its result";
    else if (a->dropped)
        when = "told to drop it,";
    else if (a->phase > RUNNING || a->leaving)
        return;
    else
        when = a->unheard ? "before it began" : "while it prepared";
    text = child_end_text(end);
    log_line("%s: %s warpjudge-arbiter %s", a->label, when, text);
    free(text);
}

/* In COMPILING and READY it failed to prepare, was told to leave, or had ended when it
 * was given the folder. It is started again when the compiler is done and its turn has
 * come, and what is wrong shows then. The same goes for one that was told to go, and had
 * not begun. In DRAINING its end was waited for. */
static void
arbiter_ended(void *arg, const struct child_end *end)
{
    struct attempt *a = arg;
    const bool unprepared = !end->signaled && end->code == ARBITER_UNPREPARED;
    const bool bad = !unprepared && (end->signaled || end->code != 0);
    const bool counts = a->phase == RUNNING && !unprepared && !a->unheard;

    if (bad && !counts)
        arbiter_log_bad_end(a, end);
    a->arbiter = NULL;
    a->has_capacity = a->leaving = a->dropped = false;
    if (counts && bad)
        attempt_ended_badly(a, "warpjudge-arbiter", end);
    else if (counts)
        attempt_read_result(a, (struct result_task){.folder = a->folder});
    else if (a->phase == RUNNING)
        a->phase = READY;
    a->unheard = false;
    queue_step(a->queue);
}

/* It is ample for a submission that uses all of its budget on a machine that is very
 * busy. */
static uint64_t
arbiter_limit_ms(const struct attempt *a)
{
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_get(a->daemon->specs, a->problem, &exists, &r);

    if (p == NULL)
        return ARBITER_LIMIT_MS;
    return ARBITER_LIMIT_MS +
           (uint64_t)p->time_limit_ms * BUDGET_CALLS_EMU * BUDGET_WALL_FACTOR;
}

void
attempt_say(struct attempt *a, const char *word)
{
    char line[64];

    if (a->fence > 0)
        snprintf(line, sizeof line, "%s %ju\n", word, (uintmax_t)a->fence);
    else
        snprintf(line, sizeof line, "%s\n", word);
    child_say(a->arbiter, line);
}

void
attempt_go(struct attempt *a, bool follows)
{
    /* The time for which it has waited for its turn does not count. */
    child_set_limit(a->arbiter, arbiter_limit_ms(a));
    attempt_say(a, follows ? "follow" : "go");
    if (a->assembled)
        attempt_say(a, "assembled");
    a->timing_ns = 0;
    a->go_ns = now_ns();
    a->own_ns = follows ? 0 : a->go_ns;
    if (a->number == 1 && a->idle == IDLE_NOT)
        histogram_add(&a->daemon->metrics->wait,
                      (double)(now_ms() - a->created_ms) / 1000);
    a->phase = RUNNING;
}

void
attempt_stop_preparing(struct attempt *a)
{
    if (!a->leaving)
        child_stop(a->arbiter, a->prepares_ahead ? STOP_AHEAD_GRACE_MS : STOP_GRACE_MS);
    a->leaving = true;
}

void
attempt_drop_preparation(struct attempt *a)
{
    if (a->fence == 0) {
        attempt_stop_preparing(a);
        return;
    }
    if (a->leaving || a->dropped)
        return;
    child_set_limit(a->arbiter, a->prepares_ahead ? STOP_AHEAD_GRACE_MS : DROP_GRACE_MS);
    attempt_say(a, "drop");
    a->dropped = true;
}

/* To how many CPUs the arbiter keeps; 0: to any. On emu no clock runs, so that it leaves
 * CPUs to submissions that are timed on a GPU. */
static int
attempt_cpus(const struct attempt *a)
{
    return strcmp(a->device, "emu") == 0 ? devices_emu_cpus(&a->daemon->devices) : 0;
}

/* May an arbiter that stays judge it? A second attempt gets one that has judged nothing,
 * and so does a problem for two GPUs. */
static bool
attempt_takes_arbiter_that_stays(const struct attempt *a)
{
    return a->daemon->settings.stay > 1 && a->number == 1 && a->partner == NULL;
}

/* Starts an arbiter for this folder alone. */
static int
arbiter_start_once(struct attempt *a, struct child_spec *spec, const char *program,
                   bool ahead, struct report *r)
{
    const char *argv[] = {program, ahead ? "--ahead" : a->folder,
                          ahead ? a->folder : NULL, NULL};

    a->fence = 0;
    spec->argv = argv;
    return child_start(a->daemon->children, spec, &a->arbiter, r);
}

/* Takes an idle arbiter, or starts one that stays, and gives it this folder. */
static int
arbiter_take_or_start(struct attempt *a, struct child_spec *spec, const char *program,
                      bool ahead, struct report *r)
{
    struct daemon *d = a->daemon;
    char most[16], *order;
    const char *argv[] = {program, "--stay", most, NULL};

    snprintf(most, sizeof most, "%d", d->settings.stay);
    spec->argv = argv;
    a->arbiter = arbiters_take(d->arbiters, a->device, spec);
    a->unheard = a->arbiter != NULL;
    if (a->arbiter == NULL && child_start(d->children, spec, &a->arbiter, r) != 0)
        return -1;
    a->fence = arbiters_fence(d->arbiters);
    order = xasprintf("job %ju %s %s\n", (uintmax_t)a->fence, ahead ? "ahead" : "alone",
                      a->folder);
    child_say(a->arbiter, order);
    free(order);
    return 0;
}

int
attempt_start_arbiter(struct attempt *a, bool ahead, struct report *r)
{
    char *program = config_libexec(&a->daemon->config, "warpjudge-arbiter");
    struct child_spec spec = {.name = a->label,
                              .wants_stdin = true,
                              .limit_ms = arbiter_limit_ms(a),
                              .cpus = attempt_cpus(a),
                              .line = arbiter_line,
                              .ended = arbiter_ended,
                              .arg = a};
    int rc = attempt_takes_arbiter_that_stays(a)
                 ? arbiter_take_or_start(a, &spec, program, ahead, r)
                 : arbiter_start_once(a, &spec, program, ahead, r);

    free(program);
    if (rc != 0)
        return -1;
    a->prepared_early = true;
    a->prepares_ahead = ahead;
    if (a->reference_ready)
        attempt_say(a, "reference");
    return 0;
}

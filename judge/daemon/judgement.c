/*
 * One attempt at judging a submission, from its folder to its result.
 *
 *   daemon                       warpjudge-compile        warpjudge-arbiter
 *   writes the job folder
 *   starts                   ->  compiles
 *   starts, if its turn has come, or is next          ->  opens the device
 *   <- {"event":"reference"}     links the reference
 *   "reference"                                       ->  prepares inputs and answers
 *   <- exit, compile.json        links the submission
 *   "go", when its turn has come                      ->  runs the submission
 *   <- {"event":"test",...}, {"event":"result"}           writes result.json
 *   stores it, tells the user                             leaves
 *
 * What is said to be the result is: no exit status changes it. Whatever else happens is
 * our failure, never the user's: a missing or damaged result, and, before it is said, any
 * exit status but 0, a signal, the watchdog. The attempt is then thrown away and a second
 * one made from scratch, when all processes of the first are gone; if that fails too the
 * verdict is judge_error.
 */
#include "daemon/judgement.h"

#include "core/budget.h"
#include "core/buf.h"
#include "core/file.h"
#include "core/json.h"
#include "daemon/api.h"
#include "daemon/log.h"
#include "daemon/specs.h"
#include "daemon/streams.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS_MAX 2
/* Watchdogs only, over programs of ours: their own limits, which blame somebody, are in
 * used time and far below, however busy the machine is. */
#define COMPILE_LIMIT_MS 7200000
#define ARBITER_LIMIT_MS 7200000
#define LEAVE_LIMIT_MS 10000 /* for an arbiter that has judged; 60 ms on a GPU */
#define STOP_GRACE_MS 2000
#define STOP_AHEAD_GRACE_MS 20000 /* it waits until it disturbs nobody */

struct judgement *
judgement_new(struct queue *q, struct daemon *d, int64_t id)
{
    struct judgement *j = xcalloc(1, sizeof *j);

    j->queue = q;
    j->daemon = d;
    j->id = id;
    j->attempt = 1;
    return j;
}

static void
remove_folder(struct judgement *j)
{
    struct report r = {0};

    if (j->folder == NULL)
        return;
    /* A folder that stays is removed when the daemon starts the next time. */
    if (!j->daemon->settings.keep_jobs && file_remove_tree(j->folder, &r) != 0)
        log_line("submission %lld: %s", (long long)j->id, r.text);
    free(j->folder);
    j->folder = NULL;
}

void
judgement_free(struct judgement *j)
{
    remove_folder(j);
    compile_result_free(&j->compiled);
    result_free(&j->result);
    free(j->problem);
    free(j->device);
    free(j->partner);
    free(j->filename);
    free(j->last_event);
    free(j);
}

void
judgement_tell(struct judgement *j, const char *format, ...)
{
    char line[512];
    va_list ap;

    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    streams_tell(j->daemon->streams, j->id, line);
    free(j->last_event);
    j->last_event = xstrdup(line);
}

/* --- decisions ---------------------------------------------------------- */

void
judgement_give_up(struct judgement *j, const char *why)
{
    result_free(&j->result);
    j->result = (struct result){
        .verdict = VERDICT_JUDGE_ERROR,
        .message =
            xasprintf("the judge failed, this is not your kernel's fault: %s", why),
    };
    j->phase = UNSAVED;
}

/* Judges again from scratch as soon as this attempt's processes have ended. */
static void
try_again(struct judgement *j, const char *why)
{
    struct report r = {0};

    log_line("submission %lld: attempt %d of %d failed: %s", (long long)j->id, j->attempt,
             ATTEMPTS_MAX, why);
    /* Where even this cannot be written (a full disk), the machine is in trouble, and the
     * attempt does not count. */
    if (store_set_attempt(j->daemon->store, j->id, j->attempt + 1, &r) == 0)
        j->attempt++;
    else
        log_line("submission %lld: %s", (long long)j->id, r.text);
    j->again = true;
    j->phase = DRAINING;
}

static void
on_devices_refreshed(void *arg)
{
    queue_step(arg);
}

static void
attempt_failed(struct judgement *j, const char *why)
{
    struct daemon *d = j->daemon;

    /* Is its device still there? If not, the queue gives it up with a sentence that says
     * so, and nobody can choose the device any more. */
    devices_refresh(&d->devices, &d->config, d->children, on_devices_refreshed, j->queue);
    if (j->compiler != NULL)
        child_kill(j->compiler);
    if (j->arbiter != NULL)
        child_kill(j->arbiter);
    if (j->attempt < ATTEMPTS_MAX) {
        try_again(j, why);
        return;
    }
    log_line("submission %lld: attempt %d of %d failed: %s", (long long)j->id, j->attempt,
             ATTEMPTS_MAX, why);
    judgement_give_up(j, why);
}

static void
attempt_ended_badly(struct judgement *j, const char *program, const struct child_end *end)
{
    char *text = child_end_text(end);
    char *why = xasprintf("%s %s", program, text);

    attempt_failed(j, why);
    free(why);
    free(text);
}

/* What was not free of the card's memory may have been another's: that of the one before,
 * which was not gone yet when this one was told to go. Only where samples are run: what
 * is timed is loaded when the arbiter has measured what it subtracts, for which it waits
 * until that one is gone (arbiter/quiet.h; one that does not leave is killed long before
 * it would wait no more). Of who is there beside it, and prepares, the arbiter says so
 * itself. */
static bool
may_differ(const struct judgement *j, const struct result *res)
{
    return res->may_retry || (j->sample_tests_only && j->follows_closely &&
                              res->verdict == VERDICT_MEMORY_LIMIT);
}

static void
take_result(struct judgement *j)
{
    struct report r = {0};
    struct result res;

    if (result_read(j->folder, &res, &r) != 0) {
        attempt_failed(j, r.text);
        return;
    }
    if (result_check(&res, j->sample_tests_only, &r) != 0) {
        attempt_failed(j, r.text);
        result_free(&res);
    } else if (res.verdict == VERDICT_JUDGE_ERROR) {
        attempt_failed(j, res.message);
        result_free(&res);
    } else if (may_differ(j, &res) && j->attempt < ATTEMPTS_MAX) {
        try_again(j, res.message);
        result_free(&res);
    } else {
        j->result = res;
        j->phase = UNSAVED;
    }
}

int
judgement_save(struct judgement *j, struct report *r)
{
    struct finished_submission finished = {.result = &j->result,
                                           .compile_seconds = j->compiled.seconds,
                                           .compile_cached = j->compiled.cached,
                                           .insecure = j->daemon->settings.insecure};

    if (store_record(j->daemon->store, j->id, &finished, r) != 0)
        return -1;
    log_line("submission %lld: %s (%s on %s)", (long long)j->id,
             verdict_name(j->result.verdict), j->problem, j->device);
    j->again = false;
    j->phase = DRAINING;
    api_tell_done(j->daemon, j->id);
    return 0;
}

bool
judgement_is_leaving(const struct judgement *j)
{
    return j->phase == DRAINING && j->said_result && !j->again;
}

bool
judgement_drained(struct judgement *j)
{
    remove_folder(j);
    if (!j->again)
        return false;
    compile_result_free(&j->compiled);
    j->reference_ready = j->prepared_early = j->again = j->said_result = false;
    j->told_position = 0;
    j->phase = QUEUED;
    return true;
}

/* --- the arbiter -------------------------------------------------------- */

/* Passes on what a watcher may know. */
static void
tell_progress(struct judgement *j, const char *event, const cJSON *o)
{
    struct report r = {0};
    int64_t done, of;

    if (json_get_int(o, "done", &done, &r) == 0 && json_get_int(o, "of", &of, &r) == 0)
        judgement_tell(j, "{\"event\":\"%s\",\"done\":%lld,\"of\":%lld}", event,
                       (long long)done, (long long)of);
    else
        log_line("submission %lld: arbiter: %s", (long long)j->id, r.text);
}

/* What it does from now on is to leave. */
static void
result_said(struct judgement *j)
{
    j->said_result = true;
    child_set_limit(j->arbiter, LEAVE_LIMIT_MS);
    take_result(j);
    queue_step(j->queue);
}

/* The arbiter is ours, but what is not understood stays here. */
static void
arbiter_line(void *arg, const char *line)
{
    struct judgement *j = arg;
    struct report r = {0};
    cJSON *o = json_parse(line, strlen(line), "arbiter", &r);
    char *event = NULL;

    if (o == NULL || json_get_string(o, "event", &event, &r) != 0) {
        log_line("submission %lld: %s", (long long)j->id, r.text);
    } else if (j->phase == RUNNING &&
               (strcmp(event, "test") == 0 || strcmp(event, "timing") == 0)) {
        tell_progress(j, event, o);
    } else if (j->phase == RUNNING && strcmp(event, "room") == 0) {
        j->room = true;
        queue_step(j->queue);
    } else if (j->phase == RUNNING && strcmp(event, "result") == 0) {
        result_said(j);
    }
    free(event);
    cJSON_Delete(o);
}

/* It has judged, and the verdict stands. */
static void
log_bad_leaving(const struct judgement *j, const struct child_end *end)
{
    char *text = child_end_text(end);

    log_line("submission %lld: after its result warpjudge-arbiter %s", (long long)j->id,
             text);
    free(text);
}

static void
arbiter_ended(void *arg, const struct child_end *end)
{
    struct judgement *j = arg;

    j->arbiter = NULL;
    j->room = j->leaving = false;
    if (j->phase == RUNNING && !end->signaled && end->code == 0)
        take_result(j);
    else if (j->phase == RUNNING && !end->signaled && end->code == ARBITER_UNPREPARED)
        j->phase = READY; /* as below: it did not hear of its turn any more */
    else if (j->phase == RUNNING)
        attempt_ended_badly(j, "warpjudge-arbiter", end);
    else if (j->said_result && (end->signaled || end->code != 0))
        log_bad_leaving(j, end);
    /* In COMPILING and READY it failed to prepare, or had to make room: it is started
     * again when the compiler is done and its turn has come, and what is wrong shows
     * then. In DRAINING its end is what was waited for. */
    queue_step(j->queue);
}

/* Ample for the submission to use all of its budget on a machine that hardly lets it. */
static uint64_t
arbiter_limit_ms(const struct judgement *j)
{
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_get(j->daemon->specs, j->problem, &exists, &r);

    if (p == NULL)
        return ARBITER_LIMIT_MS;
    return ARBITER_LIMIT_MS +
           (uint64_t)p->time_limit_ms * BUDGET_CALLS_EMU * BUDGET_WALL_FACTOR;
}

void
judgement_go(struct judgement *j, bool follows_closely)
{
    /* How long it has waited for its turn counts nowhere. */
    child_set_limit(j->arbiter, arbiter_limit_ms(j));
    child_say(j->arbiter, "go\n");
    j->follows_closely = follows_closely;
    j->phase = RUNNING;
}

void
judgement_stop_preparing(struct judgement *j)
{
    if (!j->leaving)
        child_stop(j->arbiter, j->prepares_ahead ? STOP_AHEAD_GRACE_MS : STOP_GRACE_MS);
    j->leaving = true;
}

/* No clock runs on emu, so that it leaves those that are timed their CPUs. 0: none are.
 */
static int
cpus_of(const struct judgement *j)
{
    const int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    const int spare = devices_spare_cpus(&j->daemon->devices, all);

    return strcmp(j->device, "emu") == 0 && spare < all ? spare : 0;
}

int
judgement_start_arbiter(struct judgement *j, bool ahead, struct report *r)
{
    char *program = config_libexec(&j->daemon->config, "warpjudge-arbiter");
    char *name = xasprintf("submission %lld", (long long)j->id);
    const char *argv[] = {program, ahead ? "--ahead" : j->folder,
                          ahead ? j->folder : NULL, NULL};
    struct child_spec spec = {.name = name,
                              .argv = argv,
                              .wants_stdin = true,
                              .limit_ms = arbiter_limit_ms(j),
                              .cpus = cpus_of(j),
                              .line = arbiter_line,
                              .ended = arbiter_ended,
                              .arg = j};
    int rc = child_start(j->daemon->children, &spec, &j->arbiter, r);

    free(program);
    free(name);
    if (rc != 0)
        return -1;
    j->prepared_early = true;
    j->prepares_ahead = ahead;
    if (j->reference_ready)
        child_say(j->arbiter, "reference\n");
    return 0;
}

/* --- the compiler ------------------------------------------------------- */

static void
reference_is_ready(struct judgement *j)
{
    if (!j->reference_ready && j->arbiter != NULL)
        child_say(j->arbiter, "reference\n");
    j->reference_ready = true;
}

static void
compiler_line(void *arg, const char *line)
{
    struct judgement *j = arg;
    struct report r = {0};
    cJSON *o = json_parse(line, strlen(line), "compiler", &r);
    char *event = NULL;

    if (o == NULL || json_get_string(o, "event", &event, &r) != 0) {
        log_line("submission %lld: %s", (long long)j->id, r.text);
    } else if (strcmp(event, "reference") == 0 && j->phase == COMPILING) {
        reference_is_ready(j);
    }
    free(event);
    cJSON_Delete(o);
}

static void
compiled_well(struct judgement *j)
{
    judgement_tell(j, "{\"event\":\"compiled\",\"cached\":%s}",
                   j->compiled.cached ? "true" : "false");
    reference_is_ready(j); /* it is, whether the compiler has said so or not */
    j->phase = READY;
}

static void
not_compiled(struct judgement *j)
{
    if (j->arbiter != NULL)
        judgement_stop_preparing(j);
    result_free(&j->result);
    j->result = (struct result){.verdict = j->compiled.verdict,
                                .message = xstrdup(j->compiled.message)};
    j->phase = UNSAVED;
}

static void
compiler_ended(void *arg, const struct child_end *end)
{
    struct judgement *j = arg;
    struct report r = {0};

    j->compiler = NULL;
    if (j->phase == COMPILING) {
        compile_result_free(&j->compiled);
        if (end->signaled || end->code != 0)
            attempt_ended_badly(j, "warpjudge-compile", end);
        else if (compile_result_read(j->folder, &j->compiled, &r) != 0)
            attempt_failed(j, r.text);
        else if (j->compiled.ok)
            compiled_well(j);
        else if (j->compiled.verdict == VERDICT_JUDGE_ERROR)
            attempt_failed(j, j->compiled.message);
        else
            not_compiled(j);
    }
    queue_step(j->queue);
}

static int
write_source(const char *folder, const struct buf *source, struct report *r)
{
    char *path = xasprintf("%s/submission.cu", folder);
    int rc = file_write(path, buf_str(source), source->len, r);

    free(path);
    return rc;
}

static int
write_job(struct judgement *j, struct report *r)
{
    struct daemon *d = j->daemon;
    struct job job = {
        .id = j->id,
        .attempt = j->attempt,
        .sample_tests_only = j->sample_tests_only,
        .problem = j->problem,
        .problems_dir = d->config.problems,
        .device = j->device,
        .partner = j->partner,
        .arch = devices_find(&d->devices, j->device)->arch,
        .filename = j->filename,
        .cache_dir = d->config.cache,
        .insecure = d->settings.insecure,
    };

    return job_write(j->folder, &job, r);
}

static int
make_folder(struct judgement *j, const struct buf *source, struct report *r)
{
    unsigned char name[8];

    random_bytes(name, sizeof name);
    j->folder = xasprintf("%s/%lld-%d-%02x%02x%02x%02x%02x%02x%02x%02x",
                          j->daemon->config.jobs, (long long)j->id, j->attempt, name[0],
                          name[1], name[2], name[3], name[4], name[5], name[6], name[7]);
    if (file_mkdirs(j->daemon->config.jobs, r) != 0)
        return -1;
    if (mkdir(j->folder, 0700) != 0)
        return report_errno(r, "the folder %s cannot be made", j->folder);
    if (write_source(j->folder, source, r) != 0)
        return -1;
    return write_job(j, r);
}

static int
start_compiler(struct judgement *j, struct report *r)
{
    char *program = config_libexec(&j->daemon->config, "warpjudge-compile");
    char *name = xasprintf("submission %lld", (long long)j->id);
    const char *argv[] = {program, j->folder, NULL};
    struct child_spec spec = {.name = name,
                              .argv = argv,
                              .limit_ms = COMPILE_LIMIT_MS,
                              .line = compiler_line,
                              .ended = compiler_ended,
                              .arg = j};
    int rc = child_start(j->daemon->children, &spec, &j->compiler, r);

    free(program);
    free(name);
    return rc;
}

/* Which cards it gets: as the list of devices is now, which may have changed since it was
 * submitted. false: there are too few, and it is given up. */
static bool
choose_cards(struct judgement *j)
{
    const struct devices *devices = &j->daemon->devices;
    const struct device_entry *e = devices_find(devices, j->device), *partner;
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_get(j->daemon->specs, j->problem, &exists, &r);

    free(j->partner);
    j->partner = NULL;
    /* A problem that is gone, or damaged, is for the compiler to tell. */
    if (p == NULL || p->gpus < 2 || strcmp(j->device, "emu") == 0)
        return true;
    partner = devices_partner(devices, e);
    if (partner != NULL) {
        j->partner = xstrdup(partner->name);
        return true;
    }
    (void)devices_take(devices, e, p, &r);
    judgement_give_up(j, r.text);
    return false;
}

int
judgement_compile(struct judgement *j, struct report *r)
{
    struct buf source = {0};
    bool found = false;
    int rc;

    if (!choose_cards(j))
        return 0;
    rc = store_source(j->daemon->store, j->id, &found, &source, r);
    if (rc == 0 && !found) {
        judgement_give_up(j, "its source is not in the database any more");
        return 0;
    }
    if (rc == 0)
        rc = make_folder(j, &source, r);
    if (rc == 0)
        rc = start_compiler(j, r);
    buf_free(&source);
    if (rc != 0) {
        remove_folder(j);
        return -1;
    }
    j->phase = COMPILING;
    judgement_tell(j, "{\"event\":\"compiling\"}");
    return 0;
}

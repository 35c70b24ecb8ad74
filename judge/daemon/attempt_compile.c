/* The first part of an attempt: its folder, and the compiler's words about it. */
#include "daemon/attempt.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "daemon/lease_choice.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/people.h"
#include "daemon/specs.h"

#include <stdlib.h>
#include <string.h>

/* This is for the watchdog over a program of ours. The limits that it holds a submission
 * to are in used time and far below, however busy the machine is. */
#define COMPILE_LIMIT_MS 7200000

static void
attempt_reference_is_ready(struct attempt *a)
{
    if (!a->reference_ready && a->arbiter != NULL)
        attempt_say(a, "reference");
    a->reference_ready = true;
}

static void
attempt_compiled(struct attempt *a)
{
    told_course(a, "compiled", "\"cached\":%s", a->compiled.cached ? "true" : "false");
    attempt_reference_is_ready(a); /* even where the compiler has not said so */
    a->phase = READY;
}

/* The compiler has ended well. */
static void
attempt_assembled(struct attempt *a)
{
    a->assembled = true;
    if (a->phase == RUNNING)
        attempt_say(a, "assembled");
}

/* The compiler refuses the submission. Its tests may run already: their verdict does not
 * count. */
void
attempt_not_compiled(struct attempt *a)
{
    histogram_add(&a->daemon->metrics->phase[PHASE_COMPILE], a->compiled.seconds);
    /* Otherwise sources that keep compilers busy for a minute, and never come to a
     * device, would always go before those of a person who has used one. */
    if (!profile_is_graded(a->profile))
        person_has_used(a->person, a->compiled.seconds * 1000, now_ns());
    if (a->arbiter != NULL && a->phase == RUNNING)
        child_kill(a->arbiter);
    else if (a->arbiter != NULL)
        attempt_drop_preparation(a);
    attempt_is_judged(a, (struct result){.verdict = a->compiled.verdict,
                                         .message = xstrdup(a->compiled.message),
                                         .findings = a->compiled.findings != NULL
                                                         ? xstrdup(a->compiled.findings)
                                                         : NULL});
}

/* The program is there, and ptxas still works on it. */
static void
attempt_linked(struct attempt *a)
{
    struct report r = {0};

    if (compile_result_read(a->folder, &a->compiled, &r) != 0)
        attempt_failed(a, r.text);
    else
        attempt_compiled(a);
    queue_step(a->queue);
}

bool
attempt_judge_compiled(struct attempt *a)
{
    if (a->profile != PROFILE_GRADE_COMPILE)
        return false;
    attempt_is_judged(
        a, (struct result){.verdict = VERDICT_ACCEPTED,
                           .message = xstrdup("It compiles, and nothing was run.")});
    return true;
}

static void
attempt_done_compiling(struct attempt *a)
{
    histogram_add(&a->daemon->metrics->phase[PHASE_COMPILE], a->compiled.seconds);
    if (a->phase == COMPILING)
        attempt_compiled(a);
    attempt_assembled(a);
    attempt_judge_compiled(a);
}

static void
compiler_line(void *arg, const char *line)
{
    struct attempt *a = arg;
    struct report r = {0};
    cJSON *o = json_parse(line, strlen(line), "compiler", &r);
    char *event = NULL;

    if (o == NULL || json_get_string(o, "event", &event, &r) != 0) {
        log_line("%s: %s", a->label, r.text);
    } else if (strcmp(event, "reference") == 0 && a->phase == COMPILING) {
        attempt_reference_is_ready(a);
    } else if (strcmp(event, "submission") == 0 && a->phase == COMPILING) {
        a->submission_made = true;
        queue_step(a->queue);
    } else if (strcmp(event, "linked") == 0 && a->phase == COMPILING) {
        attempt_linked(a);
    }
    free(event);
    cJSON_Delete(o);
}

static void
compiler_ended(void *arg, const struct child_end *end)
{
    struct attempt *a = arg;
    struct report r = {0};

    a->compiler = NULL;
    if (a->phase == COMPILING || a->phase == READY || a->phase == RUNNING) {
        compile_result_free(&a->compiled);
        if (end->signaled || end->code != 0)
            attempt_ended_badly(a, "warpjudge-compile", end);
        else if (compile_result_read(a->folder, &a->compiled, &r) != 0)
            attempt_failed(a, r.text);
        else if (a->compiled.ok)
            attempt_done_compiling(a);
        else if (a->compiled.verdict == VERDICT_JUDGE_ERROR)
            attempt_failed(a, a->compiled.message);
        else
            attempt_not_compiled(a);
    }
    queue_step(a->queue);
}

static int
attempt_start_compiler(struct attempt *a, struct report *r)
{
    char *program = config_libexec(&a->daemon->config, "warpjudge-compile");
    const char *argv[] = {program, a->folder, NULL};
    struct child_spec spec = {.name = a->label,
                              .argv = argv,
                              .limit_ms = COMPILE_LIMIT_MS,
                              .cpus = devices_compiler_cpus(&a->daemon->devices),
                              .line = compiler_line,
                              .ended = compiler_ended,
                              .arg = a};
    int rc = child_start(a->daemon->children, &spec, &a->compiler, r);

    free(program);
    return rc;
}

/* Chooses the second GPU of a problem for two from the devices as they are now, which may
 * have changed since it was submitted. False where there is none: it waits for a worker
 * with two, or is given up where none has been there. */
static bool
attempt_choose_partner(struct attempt *a)
{
    const struct devices *devices = &a->daemon->devices;
    const struct device_entry *e = devices_find(devices, a->device), *partner;
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_get(a->daemon->specs, a->problem, &exists, &r);

    free(a->partner);
    a->partner = NULL;
    /* The compiler reports a problem that is gone or damaged. */
    if (p == NULL || p->gpus < 2 || strcmp(a->device, "emu") == 0)
        return true;
    partner = devices_partner(devices, e);
    if (partner != NULL) {
        a->partner = xstrdup(partner->name);
        return true;
    }
    (void)devices_take(devices, e, p, &r);
    lease_note_gpus(a, p);
    if (!a->for_pair)
        attempt_give_up(a, r.text);
    return false;
}

int
attempt_read_source(const struct attempt *a, bool *found, struct buf *out,
                    struct report *r)
{
    if (a->source == NULL)
        return store_source(a->daemon->store, a->id, found, out, r);
    buf_puts(out, a->source);
    *found = true;
    return 0;
}

int
attempt_compile(struct attempt *a, struct report *r)
{
    struct buf source = {0};
    bool found = false;
    int rc;

    if (!attempt_choose_partner(a))
        return 0;
    rc = attempt_read_source(a, &found, &source, r);
    if (rc == 0 && !found) {
        attempt_give_up(a, "its source is not in the database any more");
        return 0;
    }
    if (rc == 0)
        rc = attempt_make_folder(a, &source, r);
    if (rc == 0)
        rc = attempt_start_compiler(a, r);
    buf_free(&source);
    if (rc != 0) {
        attempt_remove_folder(a);
        return -1;
    }
    a->phase = COMPILING;
    attempt_tell(a, "{\"event\":\"compiling\"}");
    return 0;
}

/* One attempt on a worker: from its lease to its result. */
#include "cli/worker.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/answer.h"
#include "sandbox/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* These are for a watchdog like the daemon's (daemon/attempt.c). */
#define COMPILE_LIMIT_MS 7200000
#define ARBITER_LIMIT_MS 14400000
#define PULSE_MS 500
#define LEAVE_S 5.0 /* what is not judged so long before --until is given back */
#define RESULT_BYTES_MAX ((size_t)16 << 20)
#define PART_BYTES ((size_t)256 << 10) /* escaped it is at most twice as long */
#define SEND_TRIES 30
#define TAKE_US 100000 /* between two tries to take the devices */
#define RETRY_S 2

struct judging {
    struct worker_slot *slot;
    const cJSON *lease;
    struct job job; /* of the lease, while its strings are there */
    const struct worker_device
        *partner; /* whose GPU is the second; NULL: there is none */
    char *folder;
    char event[16]; /* what a heartbeat tells */
    long done, of;
    bool said_result;
    bool unwanted;     /* the daemon has given the attempt up */
    bool stops;        /* we have to */
    uint64_t told_ns;  /* when a heartbeat was sent last */
    uint64_t heard_ns; /* when one was answered last */
};

static cJSON *
judging_message(const struct judging *j)
{
    cJSON *o = worker_message(j->slot);

    cJSON_AddNumberToObject(o, "submission",
                            (double)answer_count(j->lease, "submission"));
    cJSON_AddNumberToObject(o, "attempt", (double)answer_count(j->lease, "attempt"));
    cJSON_AddStringToObject(o, "fence", answer_string(j->lease, "fence"));
    return o;
}

/* --- while a program runs ----------------------------------------------- */

/* Tells the daemon that we live. A daemon that is not there may be back soon; one that
 * has not heard us for a lease's time has given us up. */
static void
judging_heartbeat(struct judging *j)
{
    cJSON *body = judging_message(j), *answer = NULL;
    struct report r = {0};
    enum client_result result;

    j->told_ns = now_ns();
    cJSON_AddStringToObject(body, "event", j->event);
    cJSON_AddNumberToObject(body, "done", (double)j->done);
    cJSON_AddNumberToObject(body, "of", (double)j->of);
    result = client_post(j->slot->client, "/api/worker/heartbeat", body, &answer, &r);
    if (result == CLIENT_OK)
        j->heard_ns = now_ns();
    else if (result == CLIENT_REFUSED ||
             now_ns() - j->heard_ns > (uint64_t)j->slot->lease_s * 1000000000u)
        j->unwanted = true;
    if (report_is_set(&r))
        fprintf(stderr, "warpjudge worker: submission %ld: %s\n",
                answer_count(j->lease, "submission"), r.text);
    cJSON_Delete(answer);
    cJSON_Delete(body);
}

static int
judging_pulse(void *arg)
{
    struct judging *j = arg;

    j->stops = worker_is_to_stop(j->slot->setup) ||
               worker_seconds_left(j->slot->setup) < LEAVE_S;
    worker_has_worked(j->slot, answer_string(j->lease, "arch"));
    if (!j->stops &&
        now_ns() - j->told_ns >= (uint64_t)j->slot->heartbeat_s * 1000000000u)
        judging_heartbeat(j);
    return j->stops || j->unwanted ? -1 : 0;
}

/* A line of the compiler's or the arbiter's. The next heartbeat tells the newest. */
static void
judging_line(void *arg, const char *line)
{
    struct judging *j = arg;
    struct report r = {0};
    cJSON *o = json_parse(line, strlen(line), "a program of the judge's", &r);
    const char *event = answer_string(o, "event");

    if (strcmp(event, "test") == 0 || strcmp(event, "timing") == 0) {
        snprintf(j->event, sizeof j->event, "%s", event);
        j->done = answer_count(o, "done");
        j->of = answer_count(o, "of");
    }
    j->said_result = j->said_result || strcmp(event, "result") == 0;
    cJSON_Delete(o);
}

static struct worker_program
judging_program(struct judging *j, const char *const *argv, uint64_t limit_ms)
{
    return (struct worker_program){.argv = argv,
                                   .limit_ms = limit_ms,
                                   .pulse_ms = PULSE_MS,
                                   .line = judging_line,
                                   .pulse = judging_pulse,
                                   .arg = j};
}

static int
judging_run(struct judging *j, const char *name, const char *flag, const char *input,
            uint64_t limit_ms, struct report *r)
{
    char *program = config_libexec(j->slot->setup->config, name);
    const char *const argv[] = {program, flag != NULL ? flag : j->folder,
                                flag != NULL ? j->folder : NULL, NULL};
    struct worker_program p = judging_program(j, argv, limit_ms);
    int rc;

    p.input = input;
    rc = worker_run(&p, r);
    free(program);
    cgroups_sweep();
    return rc;
}

/* --- the job's folder --------------------------------------------------- */

/* A string of the lease, for a job. Nobody writes to it. */
static char *
judging_string(const struct judging *j, const char *member)
{
    return (char *)(uintptr_t)answer_string(j->lease, member);
}

/* The job of the lease. Its strings belong to the lease, and to `problems`. */
static struct job
judging_job(const struct judging *j, char *problems)
{
    const struct worker_setup *setup = j->slot->setup;
    const struct worker_device *device = j->slot->device;
    const char *mode = answer_string(j->lease, "mode");
    const char *seed = answer_string(j->lease, "seed");
    const char *own_case = answer_string(j->lease, "own_case");
    struct job job = {
        .id = answer_count(j->lease, "submission"),
        .attempt = (int)answer_count(j->lease, "attempt"),
        .sample_tests_only = strcmp(mode, "submit") != 0,
        .problem = judging_string(j, "problem"),
        .problems_dir = problems,
        .device = device->compiles ? judging_string(j, "device") : device->name,
        .partner = j->partner != NULL ? j->partner->name : NULL,
        .arch = device->compiles ? judging_string(j, "arch") : device->arch,
        .filename = judging_string(j, "filename"),
        .cache_dir = setup->config->cache,
        .insecure = setup->insecure,
        .seed = seed[0] != '\0' ? (char *)(uintptr_t)seed : NULL,
        .own_case = own_case[0] != '\0' ? (char *)(uintptr_t)own_case : NULL,
    };

    if (strcmp(mode, "profile") == 0)
        job.profile = PROFILE_COSTS;
    else if (strcmp(mode, "sanitize") == 0)
        job.profile = PROFILE_SANITIZE;
    return job;
}

static int
judging_make_folder(struct judging *j, char *problems, struct report *r)
{
    const char *source = answer_string(j->lease, "source");
    char *parent = xasprintf("%s/worker/jobs", j->slot->setup->config->home), *path;
    int rc = file_mkdirs(parent, r);

    j->job = judging_job(j, problems);
    j->folder =
        xasprintf("%s/%s-%ld-XXXXXX", parent, j->slot->setup->node, (long)getpid());
    free(parent);
    if (rc == 0 && mkdtemp(j->folder) == NULL) {
        rc = report_errno(r, "no folder %s can be made", j->folder);
        free(j->folder);
        j->folder = NULL;
    }
    if (rc != 0)
        return -1;
    path = xasprintf("%s/submission.cu", j->folder);
    rc = file_write(path, source, strlen(source), r);
    free(path);
    return rc == 0 ? job_write(j->folder, &j->job, r) : -1;
}

/* --- what the daemon is told -------------------------------------------- */

/* Sends a message until it is answered, because an answer may get lost when the daemon is
 * started again. Returns whether the daemon has taken it. */
static bool
judging_send(struct judging *j, const char *path, const cJSON *body)
{
    enum client_result result = CLIENT_UNREACHABLE;

    for (int i = 0; i < SEND_TRIES && result != CLIENT_OK && result != CLIENT_REFUSED;
         i++) {
        struct report r = {0};
        cJSON *answer = NULL;

        if (i > 0)
            sleep(RETRY_S);
        result = client_post(j->slot->client, path, body, &answer, &r);
        if (report_is_set(&r))
            fprintf(stderr, "warpjudge worker: submission %ld: %s\n",
                    answer_count(j->lease, "submission"), r.text);
        cJSON_Delete(answer);
    }
    return result == CLIENT_OK;
}

static void
judging_give_back(struct judging *j, const char *why)
{
    cJSON *body = judging_message(j);

    cJSON_AddStringToObject(body, "reason", why);
    judging_send(j, "/api/worker/return", body);
    cJSON_Delete(body);
}

/* How many of `len` bytes a part may have, so that no character is cut. */
static size_t
part_length(const char *text, size_t len)
{
    size_t n = len < PART_BYTES ? len : PART_BYTES;

    while (n < len && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* Sends the text in as many parts as it needs. */
static bool
judging_send_result(struct judging *j, const struct buf *text)
{
    const char *at = buf_str(text), *end = at + text->len;
    long parts = 0, part = 0;
    bool taken = true;

    for (const char *p = at; p < end; p += part_length(p, (size_t)(end - p)))
        parts++;
    while (taken && at < end) {
        const size_t n = part_length(at, (size_t)(end - at));
        cJSON *body = judging_message(j);
        char *piece = xasprintf("%.*s", (int)n, at);

        cJSON_AddNumberToObject(body, "part", (double)++part);
        cJSON_AddNumberToObject(body, "parts", (double)parts);
        cJSON_AddStringToObject(body, "text", piece);
        taken = judging_send(j, "/api/worker/result", body);
        cJSON_Delete(body);
        free(piece);
        at += n;
    }
    return taken;
}

/* Adds a file of the job's folder, which is a JSON object, as a member. */
static int
result_add(const struct judging *j, const char *member, const char *name,
           struct buf *text, struct report *r)
{
    char *path = xasprintf("%s/%s", j->folder, name);
    struct buf bytes = {0};
    const int rc = file_read(path, RESULT_BYTES_MAX, &bytes, r);

    if (rc == 0)
        buf_printf(text, "%s\"%s\":%s", text->len > 1 ? "," : "", member,
                   buf_str(&bytes));
    buf_free(&bytes);
    free(path);
    return rc;
}

/* --- the attempt -------------------------------------------------------- */

/* May an arbiter that stays judge it? A second attempt gets one that has judged nothing,
 * and so does a problem for two GPUs. */
static bool
judging_stays(const struct judging *j)
{
    return j->slot->stay > 1 && answer_count(j->lease, "attempt") == 1 &&
           j->partner == NULL;
}

/* Waits until the arbiter has given back everything of the last judgement; or, where this
 * judgement has one of its own, until the other has left. */
static int
judging_await_arbiter(struct judging *j, struct report *r)
{
    struct worker_arbiter *a = j->slot->arbiter;

    worker_arbiter_has_work(a);
    worker_arbiter_wait(a, 0);
    while (judging_stays(j) ? !worker_arbiter_is_ready(a) : worker_arbiter_is_there(a)) {
        if (judging_pulse(j) != 0)
            return report_fail(r, "the judge does not want it any more");
        worker_arbiter_wait(a, PULSE_MS);
    }
    return 0;
}

static int
judging_stay_and_judge(struct judging *j, struct report *r)
{
    char *program = config_libexec(j->slot->setup->config, "warpjudge-arbiter");
    const char *const argv[] = {program, NULL};
    const struct worker_program p = judging_program(j, argv, ARBITER_LIMIT_MS);
    const int rc =
        worker_arbiter_judge(j->slot->arbiter, j->slot->stay, j->folder, &p, r);

    free(program);
    return rc;
}

/* Runs the arbiter. Once it has said its result, its end does not matter. */
static int
judging_test(struct judging *j, struct report *r)
{
    struct report why = {0};
    int rc;

    if (judging_await_arbiter(j, r) != 0)
        return -1;
    snprintf(j->event, sizeof j->event, "judging");
    judging_heartbeat(j);
    if (j->unwanted)
        return report_fail(r, "the judge does not want it any more");
    rc = judging_stays(j)
             ? judging_stay_and_judge(j, &why)
             : judging_run(j, "warpjudge-arbiter", NULL, "reference\ngo\nassembled\n",
                           ARBITER_LIMIT_MS, &why);
    if (rc != 0 && !j->said_result)
        return report_fail(r, "%s", why.text);
    return 0;
}

/* Compiles, and judges unless that was not asked for. */
static int
judging_compile(struct judging *j, struct compile_result *compiled, struct buf *text,
                struct report *r)
{
    const bool compiles = j->slot->device->compiles;
    const bool runs = strcmp(answer_string(j->lease, "mode"), "compile") != 0;
    int rc = judging_run(j, "warpjudge-compile", compiles ? "--submission" : NULL, "",
                         COMPILE_LIMIT_MS, r);

    if (rc == 0)
        rc = compile_result_read(j->folder, compiled, r);
    if (rc == 0 && compiled->ok && runs && !compiles)
        rc = judging_test(j, r);
    if (rc == 0)
        rc = result_add(j, "compile", "compile.json", text, r);
    if (rc != 0 || !compiled->ok || !runs)
        return rc;
    return compiles
               ? worker_artefact_add(j->slot, &j->job, answer_string(j->lease, "source"),
                                     j->folder, text, r)
               : result_add(j, "result", "result.json", text, r);
}

/* Judges what another worker has compiled. The reference is compiled here: what it says
 * is believed. */
static int
judging_fetched(struct judging *j, struct buf *text, struct report *r)
{
    int rc = worker_artefact_fetch(j->slot, j->lease, &j->job, j->folder, r);

    if (rc == 0)
        rc = judging_run(j, "warpjudge-compile", "--judged", "", COMPILE_LIMIT_MS, r);
    if (rc == 0)
        rc = judging_test(j, r);
    return rc == 0 ? result_add(j, "result", "result.json", text, r) : rc;
}

/* Takes the devices. Another process of the worker may still have one of them: it hears
 * only now that its judgement for two GPUs was given up. */
static int
judging_take_devices(struct judging *j, struct report *r)
{
    const char *partner = answer_string(j->lease, "partner");

    if (partner[0] != '\0') {
        j->partner = worker_partner(j->slot, partner);
        if (j->partner == NULL)
            return report_fail(r, "the worker has no device \"%s\" beside %s", partner,
                               j->slot->device->name);
    }
    if (!judging_stays(j))
        worker_arbiter_dismiss(j->slot->arbiter);
    while (!worker_take_devices(j->slot, j->partner)) {
        if (judging_pulse(j) != 0)
            return report_fail(r, "the judge does not want it any more");
        /* One that has left has its GPU no longer, which the other may wait for. */
        worker_arbiter_wait(j->slot->arbiter, 0);
        usleep(TAKE_US);
    }
    return 0;
}

/* Does what the lease says; *text is the result as the daemon takes it. */
static int
judging_do(struct judging *j, struct buf *text, struct report *r)
{
    struct compile_result compiled = {0};
    char *problems = worker_problem(j->slot, answer_string(j->lease, "problem"),
                                    answer_string(j->lease, "problem_hash"), r);
    int rc = problems != NULL ? judging_make_folder(j, problems, r) : -1;

    snprintf(j->event, sizeof j->event, "compiling");
    buf_puts(text, "{");
    if (rc == 0 && cJSON_GetObjectItemCaseSensitive(j->lease, "artefact") != NULL)
        rc = judging_fetched(j, text, r);
    else if (rc == 0)
        rc = judging_compile(j, &compiled, text, r);
    buf_puts(text, "}");
    compile_result_free(&compiled);
    free(problems);
    return rc;
}

enum worker_end
worker_judge(struct worker_slot *s, const cJSON *lease)
{
    struct judging j = {
        .slot = s, .lease = lease, .told_ns = now_ns(), .heard_ns = now_ns()};
    struct report r = {0};
    struct buf text = {0};
    enum worker_end end = WORKER_GIVEN_UP;

    if (judging_take_devices(&j, &r) == 0 && judging_do(&j, &text, &r) == 0)
        end = judging_send_result(&j, &text) ? WORKER_SENT : WORKER_GIVEN_UP;
    else if (!j.unwanted)
        judging_give_back(&j, j.stops ? "the worker has to stop" : r.text);
    if (j.folder != NULL)
        worker_arbiter_remove(s->arbiter, j.folder);
    worker_arbiter_has_work(s->arbiter);
    worker_leave_devices(s);
    free(j.folder);
    buf_free(&text);
    return end;
}

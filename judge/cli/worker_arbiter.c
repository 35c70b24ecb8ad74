#include "cli/worker_arbiter.h"

#include "base/file.h"
#include "base/json.h"
#include "cli/answer.h"
#include "record/job.h"
#include "sandbox/cgroup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)
#define END_LIMIT_NS (2 * NS_PER_S) /* of a worker that ends, as of a daemon */
#define STEP_MS 50
#define MOST_DIGITS 24

struct worker_arbiter {
    const char *device;
    struct worker_child child;
    enum { ARBITER_JUDGES, ARBITER_GIVES_BACK, ARBITER_IDLE } state;
    bool leaves;       /* it was told to leave */
    uint64_t since_ns; /* when it was told to leave, or else when the state began */
    const struct worker_program *judgement; /* while it judges; else NULL */
    /* Of the last judgement: */
    uint64_t fence;
    bool begun, said_result;
    char *folder;
    bool removes; /* the folder, when everything is given back */
};

struct worker_arbiter *
worker_arbiter_new(const char *device)
{
    struct worker_arbiter *a = xcalloc(1, sizeof *a);

    a->device = device;
    return a;
}

bool
worker_arbiter_is_there(const struct worker_arbiter *a)
{
    return a->child.pid != 0;
}

bool
worker_arbiter_is_ready(const struct worker_arbiter *a)
{
    return !worker_arbiter_is_there(a) || (a->state == ARBITER_IDLE && !a->leaves);
}

void
worker_arbiter_dismiss(struct worker_arbiter *a)
{
    if (!worker_arbiter_is_there(a) || a->leaves)
        return;
    worker_child_close_input(&a->child);
    a->leaves = true;
    a->since_ns = now_ns();
}

void
worker_arbiter_has_work(struct worker_arbiter *a)
{
    if (a->state == ARBITER_IDLE && !a->leaves)
        a->since_ns = now_ns();
}

/* --- its lines ---------------------------------------------------------- */

static void
arbiter_remove(const char *folder)
{
    struct report r = {0};

    if (file_remove_tree(folder, &r) != 0)
        fprintf(stderr, "warpjudge worker: %s\n", r.text);
}

static void
arbiter_has_given_back(struct worker_arbiter *a)
{
    if (a->removes)
        arbiter_remove(a->folder);
    a->removes = false;
}

static void
arbiter_is_idle(struct worker_arbiter *a)
{
    arbiter_has_given_back(a);
    a->state = ARBITER_IDLE;
    if (!a->leaves)
        a->since_ns = now_ns();
}

/* Does the event belong to the last judgement? */
static bool
arbiter_means_last(const struct worker_arbiter *a, const cJSON *event)
{
    char fence[ARBITER_FENCE_MAX];

    snprintf(fence, sizeof fence, "%ju", (uintmax_t)a->fence);
    return strcmp(answer_string(event, "job"), fence) == 0;
}

/* A line of the arbiter's. An idle one has nothing to say: what it says is not of any
 * judgement, and it is told to leave. */
static void
arbiter_line(void *arg, const char *line)
{
    struct worker_arbiter *a = arg;
    struct report r = {0};
    cJSON *o = json_parse(line, strlen(line), "arbiter", &r);
    const char *event = answer_string(o, "event");

    if (a->state == ARBITER_IDLE) {
        fprintf(stderr, "warpjudge worker: an idle arbiter of %s said: %s\n", a->device,
                line);
        worker_arbiter_dismiss(a);
    } else if (!arbiter_means_last(a, o)) {
        fprintf(stderr,
                "warpjudge worker: an arbiter's line is of another judgement: %s\n",
                line);
    } else if (a->said_result && strcmp(event, "idle") == 0) {
        arbiter_is_idle(a);
    } else {
        a->begun = true;
        a->said_result = a->said_result || strcmp(event, "result") == 0;
        if (a->judgement != NULL)
            a->judgement->line(a->judgement->arg, line);
    }
    cJSON_Delete(o);
}

/* --- its end ------------------------------------------------------------ */

/* Awaits the end of one that has closed its output, or kills it. */
static int
arbiter_end(struct worker_arbiter *a, bool kills, struct report *r)
{
    const int rc = worker_child_end(&a->child, kills, r);

    cgroups_sweep();
    arbiter_has_given_back(a);
    a->leaves = false;
    return rc;
}

/* The same beside no judgement. A bad end changes no verdict, but is said. */
static void
arbiter_bury(struct worker_arbiter *a, bool kills)
{
    const char *what = a->state == ARBITER_IDLE ? "an idle arbiter" : "after its result";
    struct report r = {0};

    if (kills)
        report_fail(&r, "it ran for too long and was stopped");
    if (arbiter_end(a, kills, &r) != 0)
        fprintf(stderr, "warpjudge worker: %s of %s: %s\n", what, a->device, r.text);
}

void
worker_arbiter_wait(struct worker_arbiter *a, int ms)
{
    uint64_t ns;

    if (!worker_arbiter_is_there(a))
        return;
    if (!worker_child_read(&a->child, ms, arbiter_line, a)) {
        arbiter_bury(a, false);
        return;
    }
    ns = now_ns() - a->since_ns;
    if ((a->leaves || a->state != ARBITER_IDLE) && ns > ARBITER_LEAVE_S * NS_PER_S)
        arbiter_bury(a, true);
    else if (!a->leaves && a->state == ARBITER_IDLE && ns > ARBITER_IDLE_S * NS_PER_S)
        worker_arbiter_dismiss(a);
}

void
worker_arbiter_free(struct worker_arbiter *a)
{
    const uint64_t end_ns = now_ns() + END_LIMIT_NS;

    worker_arbiter_dismiss(a);
    while (worker_arbiter_is_there(a) && now_ns() < end_ns)
        worker_arbiter_wait(a, STEP_MS);
    if (worker_arbiter_is_there(a))
        arbiter_bury(a, true);
    free(a->folder);
    free(a);
}

/* --- a judgement -------------------------------------------------------- */

static int
arbiter_pulse(void *arg)
{
    const struct worker_arbiter *a = arg;

    return a->judgement->pulse(a->judgement->arg);
}

static int
arbiter_start(struct worker_arbiter *a, const struct worker_program *p, long most,
              struct report *r)
{
    char number[MOST_DIGITS];
    const char *const argv[] = {p->argv[0], "--stay", number, NULL};

    snprintf(number, sizeof number, "%ld", most);
    return worker_child_start(&a->child, argv, r);
}

/* Tells the arbiter to judge what is in the folder. All that it waits for is there. */
static void
arbiter_order(struct worker_arbiter *a, const char *folder)
{
    const uintmax_t fence = ++a->fence;
    char *order = xasprintf("job %ju alone %s\nreference %ju\ngo %ju\nassembled %ju\n",
                            fence, folder, fence, fence, fence);

    free(a->folder);
    a->folder = xstrdup(folder);
    a->begun = a->said_result = false;
    a->state = ARBITER_JUDGES;
    worker_child_say(&a->child, order);
    free(order);
}

/* Has the folder judged by the arbiter that is there. *deaf: it had ended before it began
 * with this. */
static int
arbiter_judge(struct worker_arbiter *a, const char *folder,
              const struct worker_program *p, bool *deaf, struct report *r)
{
    const struct worker_program watched = {.limit_ms = p->limit_ms,
                                           .pulse_ms = p->pulse_ms,
                                           .line = arbiter_line,
                                           .pulse = arbiter_pulse,
                                           .arg = a};
    bool goes_on;

    a->judgement = p;
    arbiter_order(a, folder);
    goes_on = worker_child_watch(&a->child, &watched, &a->said_result, r);
    a->judgement = NULL;
    *deaf = goes_on && !a->begun;
    if (!goes_on || !a->said_result)
        return arbiter_end(a, !goes_on, r);
    if (a->state == ARBITER_JUDGES) {
        a->state = ARBITER_GIVES_BACK;
        a->since_ns = now_ns();
    }
    return 0;
}

int
worker_arbiter_judge(struct worker_arbiter *a, long most, const char *folder,
                     const struct worker_program *p, struct report *r)
{
    const bool stayed = worker_arbiter_is_there(a);
    struct report why = {0};
    bool deaf = false;
    int rc;

    if (!stayed && arbiter_start(a, p, most, r) != 0)
        return -1;
    rc = arbiter_judge(a, folder, p, &deaf, &why);
    /* One that dies while it is idle may be found out only now. */
    if (stayed && deaf) {
        fprintf(stderr, "warpjudge worker: an idle arbiter of %s: %s\n", a->device,
                rc != 0 ? why.text : "it has left");
        return worker_arbiter_judge(a, most, folder, p, r);
    }
    return rc != 0 ? report_fail(r, "%s", why.text) : 0;
}

void
worker_arbiter_remove(struct worker_arbiter *a, const char *folder)
{
    if (worker_arbiter_is_there(a) && a->state == ARBITER_GIVES_BACK &&
        strcmp(a->folder, folder) == 0)
        a->removes = true;
    else
        arbiter_remove(folder);
}

#include "arbiter/judging/author.h"

#include "arbiter/calling/runner_link.h"
#include "arbiter/judging/explain.h"
#include "base/buf.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* In used time (meter.h). */
#define START_MS 60000
#define CALL_MS 120000

struct author {
    struct device *device;
    struct runner_link *runner;
    char *runner_program, *object, *name, *slug;
    bool insecure;
};

static int
start_author_runner(struct author *a, struct report *r)
{
    struct device_runner device;
    const struct runner_options runner = {
        .program = a->runner_program, .device = &device, .insecure = a->insecure};

    if (a->runner != NULL)
        return 0;
    if (device_runner(a->device, &device, r) != 0 ||
        runner_link_start(&runner, &a->runner, r) != 0)
        return -1;
    return runner_link_load(a->runner, a->object, r);
}

int
author_open(const struct author_options *o, struct author **out, struct report *r)
{
    struct author *a = xcalloc(1, sizeof *a);
    const struct device_options options = {.insecure = o->insecure};

    a->runner_program = xstrdup(o->runner_program);
    a->object = xstrdup(o->object);
    a->name = xstrdup(o->name);
    a->slug = xstrdup(o->slug);
    a->insecure = o->insecure;
    a->device = device_open("host", &options, r);
    if (a->device == NULL || start_author_runner(a, r) != 0) {
        report_prefix(r, "%s of %s", o->name, o->slug);
        author_close(a);
        return -1;
    }
    *out = a;
    return 0;
}

void
author_close(struct author *a)
{
    if (a == NULL)
        return;
    runner_link_free(a->runner);
    device_close(a->device);
    free(a->runner_program);
    free(a->object);
    free(a->name);
    free(a->slug);
    free(a);
}

struct device *
author_device(const struct author *a)
{
    return a->device;
}

/* Is this an end that data may cause? */
static bool
is_crash(const struct runner_exit *ended)
{
    if (ended->end == SANDBOX_EXITED)
        return true;
    return ended->end == SANDBOX_SIGNALED &&
           (ended->code == SIGSEGV || ended->code == SIGBUS || ended->code == SIGFPE);
}

static int
failed_end(struct author *a, struct report *r)
{
    const struct buf *said = runner_link_output(a->runner);
    struct runner_exit ended;
    char how[80];

    runner_link_stop(a->runner, &ended);
    explain_author_end(ended.end == SANDBOX_SIGNALED, ended.code, how, sizeof how);
    report_fail(r, "%s of %s was ended by %s%s%.500s", a->name, a->slug, how,
                said->len > 0 ? ": " : "", buf_str(said));
    return is_crash(&ended) ? 1 : -1;
}

static int
explain_author_failure(struct author *a, enum runner_event event,
                       const struct runner_reply *reply, struct report *r)
{
    int rc = -1;

    switch (event) {
    case RUNNER_ANSWERED:
        if (reply->status == RUNNER_UNLOADABLE)
            report_fail(r, "%s of %s cannot be loaded: %s", a->name, a->slug,
                        reply->text);
        else
            report_fail(r, "%s of %s cannot be given its buffers (status %d)", a->name,
                        a->slug, reply->status);
        break;
    case RUNNER_LATE:
        report_fail(r, "%s of %s takes more than %d s", a->name, a->slug, CALL_MS / 1000);
        rc = 1;
        break;
    case RUNNER_ENDED:
        rc = failed_end(a, r);
        break;
    case RUNNER_STARVED:
        report_fail(r, "%s of %s got next to no time of this machine's CPUs", a->name,
                    a->slug);
        break;
    default:
        report_fail(r, "%s of %s broke the protocol or prints too much", a->name,
                    a->slug);
    }
    runner_link_free(a->runner);
    a->runner = NULL;
    return rc;
}

/* Sends one request and waits for its answer. All requests at once might not fit into the
 * socket. */
static int
ask_author(struct author *a, const struct runner_request *request, int fd,
           enum runner_op answer, uint64_t limit_ms, struct report *r)
{
    const struct runner_limit limit = runner_limit_used(a->runner, limit_ms);
    struct runner_reply reply = {0};
    enum runner_event event;

    runner_link_send(a->runner, request, fd);
    event = runner_link_await(a->runner, answer, &limit, &reply);
    if (event == RUNNER_ANSWERED && reply.status == 0)
        return 0;
    /* Before its function is called, no data can be the reason. */
    return explain_author_failure(a, event, &reply, r) > 0 && answer == RUNNER_DONE ? 1
                                                                                    : -1;
}

static int
attach_author_buffer(struct author *a, struct device_buffer *buffer, struct report *r)
{
    struct runner_request request = {.op = RUNNER_ATTACH, .memory = RUNNER_MEMORY_HOST};
    struct device_share share;
    int rc;

    if (device_share(a->device, buffer, &share, r) != 0)
        return -1;
    request.bytes = share.bytes;
    rc = ask_author(a, &request, share.fd, RUNNER_READY, START_MS, r);
    close(share.fd);
    return rc;
}

int
author_call(struct author *a, const struct author_arg *arg, int count, struct report *r)
{
    const struct runner_request detach = {.op = RUNNER_DETACH},
                                release = {.op = RUNNER_RELEASE};
    struct runner_request call = {.op = RUNNER_CALL, .arg_count = (uint32_t)count};
    int rc, slot = 0;

    if (count > RUNNER_ARGS_MAX)
        return report_fail(r, "%s of %s has %d arguments: too many", a->name, a->slug,
                           count);
    if (start_author_runner(a, r) != 0)
        return -1;
    rc = ask_author(a, &detach, -1, RUNNER_READY, START_MS, r);
    for (int i = 0; i < count && rc == 0; i++) {
        call.arg[i] = (struct runner_arg){.slot = -1, .value = arg[i].value};
        if (arg[i].buffer == NULL)
            continue;
        call.arg[i] = (struct runner_arg){.slot = slot++};
        rc = attach_author_buffer(a, arg[i].buffer, r);
    }
    if (rc == 0)
        rc = ask_author(a, &call, -1, RUNNER_READY, START_MS, r);
    return rc == 0 ? ask_author(a, &release, -1, RUNNER_DONE, CALL_MS, r) : rc;
}

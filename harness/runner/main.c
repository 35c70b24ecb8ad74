/*
 * warpjudge-runner: the process that calls a submission's solve(), or a reference's.
 * protocol.h says what the arbiter asks of it on descriptor 3.
 *
 * What it calls is loaded into it when the arbiter says so. So a process with a context
 * on each GPU can be there before there is a submission, and can time an empty solve()
 * before it times the submission's.
 *
 * From then on it shares its process with code that we do not trust: nothing here
 * protects anything. The arbiter believes no reply; the sandbox around this process is
 * what holds it. So the runner only has to be correct for honest submissions, to wait for
 * the release in a read, and to be small.
 */
#include "runner/awake.h"
#include "runner/driver.h"
#include "runner/load.h"
#include "runner/memory.h"
#include "runner/protocol.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* What was loaded last; NULL: nothing, or it could not be. */
static const struct runner_guest *guest;

#define UNLOADED "nothing is loaded"

/* How the making of contexts ended: every DETACH tells, as 0 where none were asked for.
 */
static int32_t woken;
static char woken_text[RUNNER_TEXT_MAX];

/* One call's arguments: value[i] holds parameter i, pointer[i] points to it. */
static uint64_t value[RUNNER_ARGS_MAX];
static void *pointer[RUNNER_ARGS_MAX];

/* A process that sleeps is woken some 15 us after its release, now and then 200
 * (docs/measurements), and finds cold caches. So where the clock will run the arbiter
 * wants it to look for the next request again and again, up to this. */
#define AWAKE_MS_MAX 1000u

static uint64_t
clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* awake_preemptions() at the latest CALL. */
static long preempted_before;

/* The CPUs that we may use, while we keep to one of them. */
static cpu_set_t all_cpus;
static bool keeps_cpu;

/* What a launch takes the host differs by 15 us from CPU to CPU and moment to moment: so
 * all calls that are compared are launched from one. */
static void
keep_cpu(uint32_t number)
{
    cpu_set_t one;

    if (number == 0 || number > CPU_SETSIZE || keeps_cpu ||
        sched_getaffinity(0, sizeof all_cpus, &all_cpus) != 0)
        return;
    CPU_ZERO(&one);
    CPU_SET(number - 1, &one);
    keeps_cpu = sched_setaffinity(0, sizeof one, &one) == 0;
}

/* Threads that solve() starts may run anywhere. */
static void
free_cpu(void)
{
    if (keeps_cpu)
        (void)sched_setaffinity(0, sizeof all_cpus, &all_cpus);
    keeps_cpu = false;
}

/* recvmsg that looks until awake_until_ns before it sleeps. */
static ssize_t
read_message(struct msghdr *message, uint64_t awake_until_ns)
{
    ssize_t n = -1;
    unsigned look = 0;

    errno = EAGAIN;
    while (n < 0 && (errno == EAGAIN || errno == EINTR) && clock_ns() < awake_until_ns) {
        awake_wait(look++);
        n = recvmsg(RUNNER_FD, message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    }
    while (n < 0 && (errno == EAGAIN || errno == EINTR))
        n = recvmsg(RUNNER_FD, message, MSG_CMSG_CLOEXEC);
    return n;
}

/* 1: a request, and its descriptor or -1 in *fd; 0: the arbiter has gone or sent
 * nonsense. */
static int
receive(struct runner_request *request, int *fd, uint64_t awake_until_ns)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec iov = {request, sizeof *request};
    struct msghdr message = {
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    struct cmsghdr *c;

    if (read_message(&message, awake_until_ns) != (ssize_t)sizeof *request)
        return 0;
    *fd = -1;
    c = CMSG_FIRSTHDR(&message);
    if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return 1;
}

static int
send_reply(const struct runner_reply *r)
{
    ssize_t n;

    do
        n = send(RUNNER_FD, r, sizeof *r, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *r;
}

static int
reply(uint32_t op, int32_t status, const char *text)
{
    struct runner_reply r = {.op = op, .status = status, .host = {.cpu = -1}};

    snprintf(r.text, sizeof r.text, "%s", text);
    return send_reply(&r);
}

/* A call begins with device 0 as the current one, whatever the call before has left. */
static void
reset_device(void)
{
    int current = 0;

    if (guest->get_device != NULL && guest->set_device != NULL &&
        guest->get_device(&current) == 0 && current != 0)
        (void)guest->set_device(0);
}

static int32_t
prepare_call(const struct runner_request *request)
{
    if (guest == NULL)
        return RUNNER_UNLOADABLE;
    if (request->arg_count > RUNNER_ARGS_MAX)
        return -EINVAL;
    reset_device();
    for (uint32_t i = 0; i < request->arg_count; i++) {
        const struct runner_arg *arg = &request->arg[i];
        uint64_t base = 0;

        if (arg->slot >= 0 && memory_address(arg->slot, &base) != 0)
            return -EINVAL;
        value[i] = base + arg->value;
    }
    return 0;
}

/* solve() may return while any GPU works on. The first error is returned. */
static int
synchronize(void)
{
    int first = 0;

    if (guest->synchronize == NULL)
        return 0;
    if (driver_gpus() == 1 || guest->set_device == NULL)
        return guest->synchronize();
    for (int i = driver_gpus() - 1; i >= 0; i--) {
        int error = guest->set_device(i);

        if (error == 0)
            error = guest->synchronize();
        if (first == 0)
            first = error;
    }
    return first;
}

/* The runtime's words for its error. */
static void
explain_error(int error, char *text, size_t text_size)
{
    const char *why;

    if (guest->error_name == NULL || guest->error_string == NULL)
        return;
    why = guest->explain_error != NULL ? guest->explain_error(error) : "";
    snprintf(text, text_size, "%s: %s%s%s", guest->error_name(error),
             guest->error_string(error), why[0] != '\0' ? "; " : "", why);
}

/* Runs the call and waits for the device; the runtime's error is the call's status. */
static int
run_call(void)
{
    struct runner_reply done = {.op = RUNNER_DONE, .host = {.cpu = -1}};
    const uint64_t start_ns = clock_ns();
    struct runner_host host = {0};
    int error;

    if (guest == NULL)
        return reply(RUNNER_DONE, RUNNER_UNLOADABLE, UNLOADED);
    guest->entry(pointer);
    host.launch_ns = (int64_t)(clock_ns() - start_ns);
    host.preempted = awake_preemptions() - preempted_before;
    error = synchronize();
    /* A launch that was refused leaves its error here, and nothing to synchronise with.
     */
    if (guest->last_error != NULL) {
        int last = guest->last_error();

        if (error == 0)
            error = last;
    }
    if (error != 0) {
        explain_error(error, done.text, sizeof done.text);
    } else {
        host.cpu = sched_getcpu();
        done.host = host;
    }
    done.status = error;
    fflush(stdout); /* what solve() printed belongs to this call */
    return send_reply(&done);
}

/* Silent where all is well: the next READY says so. */
static int
load(int fd)
{
    char text[RUNNER_TEXT_MAX] = "";

    guest = load_guest(fd, text, sizeof text);
    return guest != NULL || reply(RUNNER_READY, RUNNER_UNLOADABLE, text);
}

static int
handle(const struct runner_request *request, int fd)
{
    char text[RUNNER_TEXT_MAX] = "";

    switch (request->op) {
    case RUNNER_LOAD:
        return load(fd);
    case RUNNER_ATTACH:
        return reply(RUNNER_READY, memory_attach(request, fd, text, sizeof text), text);
    case RUNNER_CALL:
        keep_cpu(request->cpu);
        preempted_before = awake_preemptions();
        return reply(RUNNER_READY, prepare_call(request), guest == NULL ? UNLOADED : "");
    case RUNNER_RELEASE:
        free_cpu();
        return run_call();
    case RUNNER_DETACH:
        return reply(RUNNER_READY, woken != 0 ? woken : memory_detach(request->bytes),
                     woken_text);
    default:
        return reply(RUNNER_READY, -EINVAL, "unknown request");
    }
}

int
main(void)
{
    static struct runner_request request;
    uint64_t awake_until_ns = 0;
    int fd;

    for (int i = 0; i < RUNNER_ARGS_MAX; i++)
        pointer[i] = &value[i];
    /* On a GPU a context takes a sixth of a second: at once, while the arbiter is busy.
     */
    if (getenv("CUDA_VISIBLE_DEVICES") != NULL)
        woken = driver_wake(woken_text, sizeof woken_text);
    while (receive(&request, &fd, awake_until_ns) && handle(&request, fd))
        awake_until_ns = clock_ns() + (request.awake_ms < AWAKE_MS_MAX ? request.awake_ms
                                                                       : AWAKE_MS_MAX) *
                                          1000000ull;
    /* Not exit(): destructors of the submission have no business any more. */
    _exit(0);
}

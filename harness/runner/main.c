/*
 * warpjudge-runner: the process that calls a submission's solve(), or a reference's.
 * protocol.h says what the arbiter asks of it on descriptor 3.
 *
 * The arbiter decides when the program is loaded. So a process with a context on each
 * GPU can be ready before there is a submission, and can time an empty solve() before
 * it times the submission's.
 *
 * `warpjudge-runner alone FOLDER` makes one call without an arbiter (alone.h).
 *
 * Once it is loaded, the process runs code that we do not trust. Nothing here protects
 * anything: the arbiter believes no reply, and the sandbox around the process holds it.
 * The runner has to be correct for honest submissions, to wait for the release in a
 * read, and to be small.
 */
#include "runner/alone.h"
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

/* The program that was loaded last, or NULL if none was or loading failed. */
static const struct runner_guest *guest;

#define UNLOADED "nothing is loaded"

/* How the making of contexts ended; 0 if none were asked for. Every DETACH reports it. */
static int32_t woken;
static char woken_text[RUNNER_TEXT_MAX];

/* One call's arguments: value[i] holds parameter i, pointer[i] points to it. */
static uint64_t value[RUNNER_ARGS_MAX];
static void *pointer[RUNNER_ARGS_MAX];

/* The most that a request may ask us to look for the next one without sleeping. A
 * process that sleeps wakes some 15 us after its release, now and then 200 us, and
 * finds cold caches (docs/measurements). So the arbiter wants no sleep before a call
 * that is timed. */
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

/* The CPUs that we may use, saved while we keep to one of them. */
static cpu_set_t all_cpus;
static bool keeps_cpu;

/* Keeps to one CPU. The host's part of a launch differs by 15 us from CPU to CPU and
 * from moment to moment, so all calls that are compared are launched from one CPU. */
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

/* Ends keep_cpu, so that threads which solve() starts may run anywhere. */
static void
free_cpu(void)
{
    if (keeps_cpu)
        (void)sched_setaffinity(0, sizeof all_cpus, &all_cpus);
    keeps_cpu = false;
}

/* recvmsg that looks again and again until awake_until_ns, and only then sleeps. */
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

/* Receives a request, and its descriptor in *fd (-1: none). Returns 1, or 0 if the
 * arbiter has gone or sent nonsense. */
static int
receive_request(struct runner_request *request, int *fd, uint64_t awake_until_ns)
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
send_status(uint32_t op, int32_t status, const char *text)
{
    struct runner_reply r = {.op = op, .status = status, .host = {.cpu = -1}};

    snprintf(r.text, sizeof r.text, "%s", text);
    return send_reply(&r);
}

/* Makes device 0 the current one. A call begins so, whatever the call before it has
 * left. */
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

/* Waits for all GPUs, because solve() may return while they work. Returns the first
 * error. */
static int
synchronize_gpus(void)
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

/* Writes the runtime's words for its error. */
static void
explain_runtime_error(int error, char *text, size_t text_size)
{
    const char *why;

    if (guest->error_name == NULL || guest->error_string == NULL)
        return;
    why = guest->explain_error != NULL ? guest->explain_error(error) : "";
    snprintf(text, text_size, "%s: %s%s%s", guest->error_name(error),
             guest->error_string(error), why[0] != '\0' ? "; " : "", why);
}

/* Calls solve() and waits for the device. The runtime's error is the call's status. */
static int
run_call(void)
{
    struct runner_reply done = {.op = RUNNER_DONE, .host = {.cpu = -1}};
    const uint64_t start_ns = clock_ns();
    struct runner_host host = {0};
    int error;

    if (guest == NULL)
        return send_status(RUNNER_DONE, RUNNER_UNLOADABLE, UNLOADED);
    guest->entry(pointer);
    host.launch_ns = (int64_t)(clock_ns() - start_ns);
    host.preempted = awake_preemptions() - preempted_before;
    error = synchronize_gpus();
    /* A launch that was refused leaves an error and nothing to wait for. */
    if (guest->last_error != NULL) {
        int last = guest->last_error();

        if (error == 0)
            error = last;
    }
    if (error != 0) {
        explain_runtime_error(error, done.text, sizeof done.text);
    } else {
        host.cpu = sched_getcpu();
        done.host = host;
    }
    done.status = error;
    fflush(stdout); /* what solve() printed belongs to this call */
    return send_reply(&done);
}

/* Loads the program. A success is not answered: the next READY tells it. */
static int
load_program(int fd)
{
    char text[RUNNER_TEXT_MAX] = "";

    guest = load_guest(fd, text, sizeof text);
    return guest != NULL || send_status(RUNNER_READY, RUNNER_UNLOADABLE, text);
}

static int
handle_request(const struct runner_request *request, int fd)
{
    char text[RUNNER_TEXT_MAX] = "";

    switch (request->op) {
    case RUNNER_LOAD:
        return load_program(fd);
    case RUNNER_ATTACH:
        return send_status(RUNNER_READY, memory_attach(request, fd, text, sizeof text),
                           text);
    case RUNNER_CALL:
        keep_cpu(request->cpu);
        preempted_before = awake_preemptions();
        return send_status(RUNNER_READY, prepare_call(request),
                           guest == NULL ? UNLOADED : "");
    case RUNNER_RELEASE:
        free_cpu();
        return run_call();
    case RUNNER_DETACH:
        return send_status(
            RUNNER_READY, woken != 0 ? woken : memory_detach(request->bytes), woken_text);
    default:
        return send_status(RUNNER_READY, -EINVAL, "unknown request");
    }
}

int
main(int argc, char **argv)
{
    static struct runner_request request;
    uint64_t awake_until_ns = 0;
    int fd;

    if (argc == 3 && strcmp(argv[1], "alone") == 0)
        return alone_run(argv[2]);
    for (int i = 0; i < RUNNER_ARGS_MAX; i++)
        pointer[i] = &value[i];
    /* Making a context takes a sixth of a second on a GPU. So we make them at once,
     * while the arbiter is busy. */
    if (getenv("CUDA_VISIBLE_DEVICES") != NULL)
        woken = driver_wake(woken_text, sizeof woken_text);
    while (receive_request(&request, &fd, awake_until_ns) && handle_request(&request, fd))
        awake_until_ns = clock_ns() + (request.awake_ms < AWAKE_MS_MAX ? request.awake_ms
                                                                       : AWAKE_MS_MAX) *
                                          1000000ull;
    /* exit() would run the submission's destructors, which have no business any more. */
    _exit(0);
}

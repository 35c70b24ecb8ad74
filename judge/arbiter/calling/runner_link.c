#include "arbiter/calling/runner_link.h"

#include "arbiter/calling/sealed.h"
#include "base/file.h"
#include "runner/awake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INSIDE "/runner" /* the program's path in its sandbox */
#define WAKE_MS 60000    /* in used time; a driver may be slow beside other programs */

/* Used time between a closed socket and the process's end. It is this long because the
 * driver is slow to end a context. */
#define END_GRACE_MS 5000
#define TMP_BYTES ((uint64_t)64 << 20)
#define FILE_BYTES ((uint64_t)64 << 20)
#define OPEN_FILES SANDBOX_OPEN_FILES_MAX
#define THREADS SANDBOX_PROCESSES_MAX
#define CPU_SECONDS                                                                      \
    SANDBOX_CPU_SECONDS_MAX /* a backstop: the limits in used time come first */
#define ENV_MAX 5
#define LOOKS_PER_CHECK 16

struct runner_link {
    int socket;
    int pidfd;
    struct sandbox_process process;
    bool dying;   /* it has ended or was killed */
    bool stopped; /* the same, and it is gone */
    bool closed;  /* the other end of the socket is gone */
    bool output_ended;
    size_t printed; /* bytes */
    uint64_t grace_ms;
    struct meter meter;
    uint32_t awake_ms;
    uint64_t awake_until_ns;
    unsigned looks;
    int cpu; /* -1: any */
    struct buf output;
    struct runner_exit exit;
};

/* --- starting -------------------------------------------------------------- */

struct runner_link *
runner_link_adopt(int socket, const struct sandbox_process *process, uint64_t grace_ms)
{
    struct runner_link *l = xcalloc(1, sizeof *l);

    l->socket = socket;
    l->process = *process;
    l->grace_ms = grace_ms;
    l->cpu = -1;
    l->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    meter_begin(&l->meter, &l->process, &(const struct device_runner){0});
    return l;
}

static int
start_process(const struct runner_options *o, int socket, struct sandbox_process *process,
              struct report *r)
{
    const char *const argv[] = {INSIDE, NULL};
    const char *env[ENV_MAX + 1] = {NULL};
    const struct sandbox_bind bind[] = {{.from = o->program, .to = INSIDE},
                                        {.from = o->empty, .to = o->hidden}};
    const struct sandbox_fd fd[] = {{.from = socket, .to = RUNNER_FD},
                                    {.from = o->device->gpu_socket, .to = RUNNER_GPU_FD}};
    struct sandbox s = {
        .program = o->insecure ? o->program : INSIDE,
        .argv = argv,
        .env = env,
        .bind = bind,
        .bind_count = o->hidden != NULL ? 2 : 1,
        .fd = fd,
        .fd_count = o->device->gpu_socket >= 0 ? 2 : 1,
        .chdir = "/tmp",
        .one_process = true,
        /* A driver may need memory files. */
        .no_memory_files = o->device->gpu == NULL,
        .gpu = o->device->gpu,
        .insecure = o->insecure,
        .cpu_seconds = CPU_SECONDS,
        .address_space_bytes = o->address_space_bytes,
        .file_bytes = FILE_BYTES,
        .processes = THREADS,
        .memory_bytes = (uint64_t)RUNNER_MEMORY_GIB << 30,
        .open_files = OPEN_FILES,
        .tmp_bytes = TMP_BYTES,
    };
    int n = 0;

    env[n++] = "HOME=/tmp";
    env[n++] = "PATH=/usr/bin:/bin";
    for (int i = 0; i < 2 && o->device->env[i] != NULL; i++)
        env[n++] = o->device->env[i];
    if (o->one_queue)
        env[n++] = "CUDA_DEVICE_MAX_CONNECTIONS=1";
    return sandbox_start(&s, process, r);
}

int
runner_link_start(const struct runner_options *o, struct runner_link **out,
                  struct report *r)
{
    struct sandbox_process process;
    int pair[2] = {-1, -1};
    int rc = -1;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        report_errno(r, "no socket for a runner");
    else
        rc = start_process(o, pair[1], &process, r);
    if (pair[1] >= 0)
        close(pair[1]);
    if (o->device->gpu_socket >= 0)
        close(o->device->gpu_socket);
    if (rc != 0) {
        if (pair[0] >= 0)
            close(pair[0]);
        return -1;
    }
    *out = runner_link_adopt(pair[0], &process, END_GRACE_MS);
    meter_begin(&(*out)->meter, &(*out)->process, o->device);
    return 0;
}

/* --- talking --------------------------------------------------------------- */

void
runner_link_stay_awake(struct runner_link *l, uint32_t ms)
{
    l->awake_ms = ms;
}

int
runner_link_pidfd(const struct runner_link *l)
{
    return l->stopped ? -1 : l->pidfd;
}

pid_t
runner_link_pid(const struct runner_link *l)
{
    return l->stopped ? 0 : l->process.pid;
}

bool
runner_link_is_awake(const struct runner_link *l)
{
    return l->awake_ms > 0;
}

void
runner_link_use_cpu(struct runner_link *l, int cpu)
{
    l->cpu = cpu;
}

int
runner_link_freeze(struct runner_link *l, struct report *r)
{
    return sandbox_freeze(&l->process, r);
}

void
runner_link_thaw(struct runner_link *l)
{
    sandbox_thaw(&l->process);
}

void
runner_link_send(struct runner_link *l, const struct runner_request *request, int fd)
{
    struct runner_request sent = *request;
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct iovec iov = {.iov_base = &sent, .iov_len = sizeof sent};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

    sent.awake_ms = l->awake_ms;
    if (request->op == RUNNER_CALL && l->awake_ms > 0)
        sent.cpu = (uint32_t)(l->cpu + 1);
    if (fd >= 0) {
        struct cmsghdr *c;

        m.msg_control = control.bytes;
        m.msg_controllen = sizeof control.bytes;
        c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    /* This never blocks. At most RUNNER_ARGS_MAX + 1 requests are on their way, far less
     * than a socket's buffer. If the runner does not read, there will be no reply. */
    while (sendmsg(l->socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR)
        ;
}

/* Sends a request that changes nothing. */
void
runner_link_ask(struct runner_link *l)
{
    const struct runner_request request = {.op = RUNNER_DETACH,
                                           .bytes = RUNNER_SLOTS_MAX};

    runner_link_send(l, &request, -1);
}

bool
runner_link_has_answer(const struct runner_link *l)
{
    struct pollfd p[] = {{.fd = l->socket, .events = POLLIN},
                         {.fd = l->pidfd, .events = POLLIN}};

    return poll(p, 2, 0) != 0;
}

int
runner_link_answer(struct runner_link *l, struct report *r)
{
    const struct runner_limit limit = runner_limit_used(l, WAKE_MS);
    struct runner_reply reply = {0};
    enum runner_event event;

    event = runner_link_await(l, RUNNER_READY, &limit, &reply);
    if (event == RUNNER_ANSWERED && reply.status == 0)
        return 0;
    return report_fail(r, "a runner does not come up (event %d, status %d: %s)",
                       (int)event, reply.status, reply.text);
}

int
runner_link_wake(struct runner_link *l, struct report *r)
{
    runner_link_ask(l);
    return runner_link_answer(l, r);
}

int
runner_link_load(struct runner_link *l, const char *path, struct report *r)
{
    const struct runner_request request = {.op = RUNNER_LOAD};
    const int fd = sealed_copy(path, r);

    if (fd < 0)
        return -1;
    runner_link_send(l, &request, fd);
    close(fd);
    return 0;
}

/* Takes what the process has printed. True: that is too much. */
static bool
drain_output(struct runner_link *l)
{
    char chunk[16384];

    while (!l->output_ended && l->printed <= RUNNER_OUTPUT_MAX) {
        ssize_t n = read(l->process.output, chunk, sizeof chunk);
        size_t keep;

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break; /* EAGAIN: nothing now */
        if (n == 0) {
            l->output_ended = true;
            break;
        }
        l->printed += (size_t)n;
        keep = RUNNER_OUTPUT_KEEP - l->output.len;
        buf_add(&l->output, chunk, (size_t)n < keep ? (size_t)n : keep);
    }
    return l->printed > RUNNER_OUTPUT_MAX;
}

/* Takes the next packet. Returns 1 for a packet of the right size, 0 for none, and -1 for
 * one of another size. Sets l->closed at the end of file. The kernel drops descriptors
 * that are sent along, since no control buffer is given. */
static int
take_packet(struct runner_link *l, struct runner_reply *reply)
{
    ssize_t n;

    do
        n = recv(l->socket, reply, sizeof *reply, MSG_DONTWAIT | MSG_TRUNC);
    while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (n <= 0) { /* end of file, ECONNRESET, or an empty packet, which looks the same */
        l->closed = true;
        return 0;
    }
    if (n != sizeof *reply)
        return -1;
    reply->text[sizeof reply->text - 1] = '\0';
    return 1;
}

static bool
process_ended(struct runner_link *l)
{
    struct pollfd p = {.fd = l->pidfd, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

/* Waits until something happens or the deadline, asleep if it may sleep. */
static void
wait_anything(struct runner_link *l, uint64_t deadline_ns)
{
    uint64_t now = now_ns();
    uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
    const struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000u),
                                     .tv_nsec = (long)(left % 1000000000u)};
    struct pollfd p[] = {
        {.fd = l->closed ? -1 : l->socket, .events = POLLIN},
        {.fd = l->pidfd, .events = POLLIN},
        {.fd = l->output_ended ? -1 : l->process.output, .events = POLLIN},
    };

    if (now >= l->awake_until_ns)
        (void)ppoll(p, 3, &timeout, NULL);
    else
        awake_wait(l->looks++);
}

struct meter_use
runner_link_use(struct runner_link *l)
{
    return meter_use(&l->meter);
}

struct work_count *
runner_link_work(struct runner_link *l)
{
    return l->meter.work;
}

struct runner_limit
runner_limit_wall(uint64_t ms)
{
    return (struct runner_limit){.wall_until_ns = now_ns() + ms * 1000000u};
}

struct runner_limit
runner_limit_used(struct runner_link *l, uint64_t ms)
{
    return (struct runner_limit){.wall_until_ns =
                                     now_ns() + ms * BUDGET_WALL_FACTOR * 1000000u,
                                 .is_used = true,
                                 .used_ns = ms * 1000000u,
                                 .since = meter_use(&l->meter)};
}

/* What follows from the limit now. RUNNER_ANSWERED: it has not passed. */
static enum runner_event
limit_passed(struct runner_link *l, const struct runner_limit *limit)
{
    if (limit->is_used) {
        const struct meter_use now = meter_use(&l->meter);
        const struct meter_use use = meter_since(&now, &limit->since);

        if (meter_used_ns(&use) > limit->used_ns)
            return RUNNER_LATE;
    }
    if (now_ns() < limit->wall_until_ns)
        return RUNNER_ANSWERED;
    return limit->is_used ? RUNNER_STARVED : RUNNER_LATE;
}

/* Looks at what the runner uses if that is due. Returns when to look again. */
static uint64_t
look_at_runner(struct runner_link *l, const struct runner_limit *limit, uint64_t due_ns)
{
    const uint64_t now = now_ns();

    if (!limit->is_used)
        return limit->wall_until_ns;
    if (now < due_ns)
        return due_ns;
    if (due_ns != 0) /* 0: the wait has only begun */
        meter_look(&l->meter);
    return usage_next_ns(now);
}

enum runner_event
runner_link_wait(struct runner_link *l, enum runner_op op, uint64_t timeout_ms,
                 struct runner_reply *reply)
{
    const struct runner_limit limit = runner_limit_wall(timeout_ms);

    return runner_link_await(l, op, &limit, reply);
}

static enum runner_event
await_reply(struct runner_link *l, enum runner_op op, struct runner_limit limit,
            struct runner_reply *reply)
{
    bool ended = false, dying = false;
    uint64_t look_ns = 0;

    l->awake_until_ns = now_ns() + l->awake_ms * 1000000ull;
    for (;;) {
        /* A wait without sleep looks again and again, and asks everything only at times.
         */
        const bool thorough =
            l->looks % LOOKS_PER_CHECK == 0 || now_ns() >= l->awake_until_ns;
        enum runner_event passed;

        /* This comes before the socket is read: what the process sent before it ended
         * must still count. */
        ended = thorough && process_ended(l);
        if (!l->closed) {
            int got = take_packet(l, reply);

            if (got > 0)
                return reply->op == (uint32_t)op ? RUNNER_ANSWERED : RUNNER_LIED;
            if (got < 0)
                return RUNNER_LIED;
        }
        if (thorough && drain_output(l))
            return RUNNER_FLOODED;
        if (ended)
            return RUNNER_ENDED;
        if (l->closed && !dying) {
            /* A process that ends closes its socket a little before. */
            dying = true;
            limit = runner_limit_used(l, l->grace_ms);
            look_ns = 0;
        }
        look_ns = look_at_runner(l, &limit, look_ns);
        passed = limit_passed(l, &limit);
        if (passed != RUNNER_ANSWERED)
            return dying && passed == RUNNER_LATE ? RUNNER_LIED : passed;
        wait_anything(l, look_ns < limit.wall_until_ns ? look_ns : limit.wall_until_ns);
    }
}

enum runner_event
runner_link_await(struct runner_link *l, enum runner_op op,
                  const struct runner_limit *limit, struct runner_reply *reply)
{
    const enum runner_event event = await_reply(l, op, *limit, reply);

    meter_pause(&l->meter);
    return event;
}

bool
runner_link_spoke(struct runner_link *l)
{
    struct runner_reply reply;

    return !l->closed && take_packet(l, &reply) != 0;
}

/* --- ending ---------------------------------------------------------------- */

void
runner_link_kill(struct runner_link *l)
{
    if (l == NULL || l->dying)
        return;
    l->dying = true;
    l->exit.killed = !process_ended(l);
    (void)drain_output(l);
    if (l->exit.killed)
        sandbox_kill(&l->process);
}

void
runner_link_stop(struct runner_link *l, struct runner_exit *out)
{
    runner_link_kill(l);
    if (!l->stopped) {
        l->stopped = true;
        l->exit.end = sandbox_wait(&l->process, END_GRACE_MS, NULL, 0, 0, &l->exit.code);
        l->exit.survived = l->process.survived;
        l->exit.out_of_memory = l->process.out_of_memory;
        close(l->socket);
        if (l->pidfd >= 0)
            close(l->pidfd);
    }
    if (out != NULL)
        *out = l->exit;
}

const struct buf *
runner_link_output(struct runner_link *l)
{
    if (!l->stopped)
        (void)drain_output(l);
    return &l->output;
}

void
runner_link_free(struct runner_link *l)
{
    if (l == NULL)
        return;
    runner_link_stop(l, NULL);
    meter_end(&l->meter);
    buf_free(&l->output);
    free(l);
}

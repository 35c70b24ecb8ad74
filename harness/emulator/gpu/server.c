#include "server.h"

#include "client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define INTERRUPT_REPEAT_MS 5

struct server *
server_new(const struct machine_options *options)
{
    struct server *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    s->control_fd = -1;
    s->wake_fd = -1;
    s->task_fd = -1;
    pthread_mutex_init(&s->lock, NULL);
    s->machine = machine_new(options);
    s->work = options->work;
    if (s->machine == NULL) {
        pthread_mutex_destroy(&s->lock);
        free(s);
        return NULL;
    }
    return s;
}

void
server_free(struct server *s)
{
    while (s->clients != NULL) {
        struct client *c = s->clients;

        s->clients = c->next;
        client_free(s, c);
    }
    while (s->owned != NULL) {
        struct mapping *m = s->owned;

        s->owned = m->next;
        server_unmap(s, m);
    }
    machine_free(s->machine);
    assembly_free(s->assembly);
    if (s->work != NULL)
        munmap(s->work, sizeof *s->work);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* --- host memory as device memory --------------------------------------------------- */

/* Where shared memory lies, at an address that is free here and in the client. A
 * process cannot map the addresses of ordinary device memory (exec/). This range is
 * free on every x86-64 Linux: above the heap and a program, below its libraries and
 * stack, and outside the sanitizers' shadow. */
#define SHARED_FIRST 0x200000000000u
#define SHARED_END 0x400000000000u
#define SHARED_STEP 0x200000u
#define SHARED_TRIES 256

static struct mapping *
mapping_new(int memfd, uint64_t bytes)
{
    struct mapping *m = calloc(1, sizeof *m);

    if (m == NULL)
        return NULL;
    m->bytes = bytes;
    m->host = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    if (m->host == MAP_FAILED) {
        free(m);
        return NULL;
    }
    return m;
}

static struct mapping *
mapping_keep(struct mapping *m)
{
    if (m->address != 0)
        return m;
    munmap(m->host, (size_t)m->bytes);
    free(m);
    return NULL;
}

struct mapping *
server_map(struct server *s, int memfd, uint64_t bytes, bool initialized)
{
    struct mapping *m = mapping_new(memfd, bytes);
    struct fault f = {0};

    if (m == NULL)
        return NULL;
    m->address = memory_import(s->machine, m->host, bytes, initialized, &f);
    return mapping_keep(m);
}

struct mapping *
server_map_reserved(struct server *s, int memfd, uint64_t bytes, uint64_t wanted)
{
    struct mapping *m = mapping_new(memfd, bytes);

    if (m == NULL)
        return NULL;
    if (wanted != 0 && memory_is_free(s->machine, wanted, bytes))
        m->address = wanted;
    for (int i = 0; i < SHARED_TRIES && m->address == 0 && wanted == 0; i++) {
        uint64_t at = s->shared_next;

        if (at < SHARED_FIRST || bytes > SHARED_END - at)
            at = SHARED_FIRST;
        if (memory_is_free(s->machine, at, bytes))
            m->address = at;
        s->shared_next = at + (bytes + SHARED_STEP) / SHARED_STEP * SHARED_STEP;
    }
    return mapping_keep(m);
}

struct mapping *
server_map_shared(struct server *s, int memfd, uint64_t bytes, uint64_t wanted,
                  uint64_t used)
{
    struct mapping *m = server_map_reserved(s, memfd, bytes, wanted);
    struct fault f = {0};

    if (m != NULL)
        m->address = memory_import_at(s->machine, m->address, m->host, used, true, &f);
    return m != NULL ? mapping_keep(m) : NULL;
}

void
server_unmap(struct server *s, struct mapping *m)
{
    memory_free(s->machine, m->address);
    munmap(m->host, (size_t)m->bytes);
    free(m);
}

/* --- launches and what stops them --------------------------------------------------- */

bool
server_launch_begin(struct server *s, struct client *c)
{
    bool go;

    pthread_mutex_lock(&s->lock);
    go = !c->interrupted && !s->stopped;
    c->interrupted = false;
    s->running = go;
    s->interrupting = false;
    pthread_mutex_unlock(&s->lock);
    return go;
}

void
server_launch_end(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    s->running = false;
    s->interrupting = false;
    pthread_mutex_unlock(&s->lock);
}

/* Interrupts the launch that runs; the caller has the lock. No other launch begins before
 * the owner's next request is done. The launch that was meant may stand in a queue behind
 * one that ends just now, or may not have been read yet. */
static void
interrupt_launches(struct server *s)
{
    s->stopped = true;
    if (s->running) {
        s->interrupting = true;
        machine_interrupt(s->machine);
    } else if (s->current != NULL) {
        s->current->interrupted = true;
    }
}

/* --- the execution thread ----------------------------------------------------------- */

static void
task_run(struct server *s)
{
    struct gpu_control_reply *reply = &s->reply;
    struct gpu_control task;
    uint64_t count;
    size_t sent = 0;
    int fd;

    if (read(s->wake_fd, &count, sizeof count) < 0 && errno != EAGAIN)
        _exit(1);
    memset(reply, 0, sizeof *reply);
    pthread_mutex_lock(&s->lock);
    task = s->task;
    fd = s->task_fd;
    s->task_fd = -1;
    atomic_store(&s->task_waiting, false);
    pthread_mutex_unlock(&s->lock);
    control_execute(s, &task, fd, reply);
    pthread_mutex_lock(&s->lock);
    s->stopped = false;
    pthread_mutex_unlock(&s->lock);
    while (sent < sizeof *reply) {
        ssize_t n = send(s->control_fd, (const char *)reply + sent, sizeof *reply - sent,
                         MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(0); /* the owner has gone */
        sent += (size_t)n;
    }
}

/* Serves the clients whose sockets are ready, each once. Returns true if more can be
 * done at once. */
static bool
serve_ready(struct server *s, const struct pollfd *ready, struct client *const *who,
            int count)
{
    bool more = false;

    for (int i = 0; i < count; i++)
        if (ready[i].revents != 0 ||
            (who[i]->in_end > who[i]->in_start && !who[i]->sending))
            more |= client_serve(s, who[i]) == SERVE_MORE;
    return more;
}

static void *
execution_thread(void *argument)
{
    struct server *s = argument;
    bool more = false;

    for (;;) {
        struct pollfd ready[SERVER_CLIENTS_MAX + 1];
        struct client *who[SERVER_CLIENTS_MAX];
        int count = 0;

        for (struct client *c = s->clients; c != NULL && count < SERVER_CLIENTS_MAX;
             c = c->next) {
            if (c->fd < 0)
                continue;
            ready[count] = (struct pollfd){c->fd, c->sending ? POLLOUT : POLLIN, 0};
            who[count++] = c;
        }
        ready[count] = (struct pollfd){s->wake_fd, POLLIN, 0};
        if (poll(ready, (nfds_t)count + 1, more ? 0 : -1) < 0 && errno != EINTR)
            _exit(1);
        if (atomic_load(&s->task_waiting)) {
            task_run(s);
            more = true; /* the list may have changed, so look again without waiting */
            continue;
        }
        more = serve_ready(s, ready, who, count);
    }
    return NULL;
}

/* --- the control thread ------------------------------------------------------------- */

/* Waits until the owner sends something. Meanwhile it repeats the interrupt, because
 * the first may have come just before the launch began to listen. */
static void
control_wait(struct server *s)
{
    struct pollfd ready = {s->control_fd, POLLIN, 0};

    for (;;) {
        bool interrupting;
        int n;

        pthread_mutex_lock(&s->lock);
        interrupting = s->running && s->interrupting;
        if (interrupting)
            machine_interrupt(s->machine);
        pthread_mutex_unlock(&s->lock);
        n = poll(&ready, 1, interrupting ? INTERRUPT_REPEAT_MS : -1);
        if (n > 0)
            return;
    }
}

/* Reads one whole request and its descriptor (*fd is -1 if it has none). Returns false
 * if the owner has closed its end. */
static bool
control_read(struct server *s, struct gpu_control *q, int *fd)
{
    size_t have = 0;

    *fd = -1;
    while (have < sizeof *q) {
        union {
            struct cmsghdr header;
            char space[CMSG_SPACE(sizeof(int))];
        } control;
        struct iovec part = {(char *)q + have, sizeof *q - have};
        struct msghdr message = {.msg_iov = &part,
                                 .msg_iovlen = 1,
                                 .msg_control = &control,
                                 .msg_controllen = sizeof control};
        const struct cmsghdr *head;
        ssize_t n;

        control_wait(s);
        n = recvmsg(s->control_fd, &message, MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        have += (size_t)n;
        head = CMSG_FIRSTHDR(&message);
        if (head != NULL && head->cmsg_level == SOL_SOCKET &&
            head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
            memcpy(fd, CMSG_DATA(head), sizeof *fd);
    }
    return true;
}

static void
task_post(struct server *s, const struct gpu_control *q, int fd)
{
    uint64_t one = 1;

    pthread_mutex_lock(&s->lock);
    if (q->op == CONTROL_DROP_CLIENT && s->current != NULL &&
        s->current->number == q->client)
        interrupt_launches(s);
    s->task = *q;
    s->task_fd = fd;
    atomic_store(&s->task_waiting, true);
    pthread_mutex_unlock(&s->lock);
    if (write(s->wake_fd, &one, sizeof one) != (ssize_t)sizeof one)
        _exit(1); /* an eventfd counts up to 2^64 - 2 of these */
}

/* Maps the owner's page and closes fd. NULL: the owner sent none. */
static struct work_count *
work_map(int fd)
{
    struct work_count *w = MAP_FAILED;
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size >= sizeof *w)
        w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return w != MAP_FAILED ? w : NULL;
}

/* Makes the machine, as the first request says. NULL: no request came, or no memory is
 * left. */
static struct server *
server_configure(int control_fd)
{
    struct server early = {.control_fd = control_fd};
    struct gpu_control_reply *reply = calloc(1, sizeof *reply);
    struct server *s = NULL;
    struct gpu_control q;
    int fd = -1;

    if (reply == NULL)
        return NULL;
    pthread_mutex_init(&early.lock, NULL);
    if (control_read(&early, &q, &fd) && q.op == CONTROL_CONFIGURE &&
        q.version == GPU_PROTOCOL_VERSION) {
        struct machine_options options = {.memory_bytes = q.memory_bytes,
                                          .devices = (int)q.device,
                                          .threads = q.threads,
                                          .checks = q.flag != 0,
                                          .instruction_budget = q.instruction_budget,
                                          .work = work_map(fd)};

        if (options.work != NULL)
            s = server_new(&options);
    }
    pthread_mutex_destroy(&early.lock);
    reply->result = s != NULL ? 0 : -1;
    if (send(control_fd, reply, sizeof *reply, MSG_NOSIGNAL) != (ssize_t)sizeof *reply &&
        s != NULL) {
        server_free(s);
        s = NULL;
    }
    free(reply);
    return s;
}

int
server_run(int control_fd)
{
    struct server *s = server_configure(control_fd);
    struct gpu_control q;
    pthread_t thread;
    int fd;

    if (s == NULL)
        return -1;
    s->control_fd = control_fd;
    s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->wake_fd < 0 || pthread_create(&thread, NULL, execution_thread, s) != 0) {
        server_free(s);
        return -1;
    }
    while (control_read(s, &q, &fd)) {
        if (q.op == CONTROL_INTERRUPT) {
            pthread_mutex_lock(&s->lock);
            interrupt_launches(s);
            pthread_mutex_unlock(&s->lock);
        } else {
            task_post(s, &q, fd);
        }
    }
    /* The execution thread may be in a launch; it ends with the process. */
    return 0;
}

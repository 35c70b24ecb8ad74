#include "gpu.h"

#include "protocol.h"
#include "reply.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

struct gpu {
    int fd;
    struct work_count *work; /* a page that the process has mapped too */
    uint32_t last_client;
    pthread_mutex_t lock; /* held by one call at a time, but not by gpu_interrupt */
};

/* Sends the whole request, with the descriptor `pass` unless that is negative. */
static int
send_request(struct gpu *g, const struct gpu_control *q, int pass)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {(void *)q, sizeof *q};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t n;

    if (pass >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &pass, sizeof pass);
    }
    do
        n = sendmsg(g->fd, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *q ? 0 : -1;
}

static int
receive_reply(struct gpu *g, struct gpu_control_reply *reply)
{
    size_t have = 0;

    while (have < sizeof *reply) {
        ssize_t n = recv(g->fd, (char *)reply + have, sizeof *reply - have, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        have += (size_t)n;
    }
    return 0;
}

/* reply may be NULL. */
static int
owner_call(struct gpu *g, const struct gpu_control *q, int pass,
           struct gpu_control_reply *reply)
{
    struct gpu_control_reply own;
    int result;

    if (reply == NULL)
        reply = &own;
    pthread_mutex_lock(&g->lock);
    result = send_request(g, q, pass);
    if (result == 0)
        result = receive_reply(g, reply);
    if (result == 0)
        result = reply_check((enum gpu_control_op)q->op, reply);
    pthread_mutex_unlock(&g->lock);
    return result;
}

/* Makes the page for struct work_count and maps it. Returns its descriptor, or -1. */
static int
work_open(struct gpu *g)
{
    int fd = memfd_create("warpjudge-work", MFD_CLOEXEC);
    void *page = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, (off_t)sizeof *g->work) == 0)
        page = mmap(NULL, sizeof *g->work, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) {
        g->work = page;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

struct gpu *
gpu_connect(int control_fd, const struct gpu_options *options)
{
    struct gpu_control q = {.op = CONTROL_CONFIGURE,
                            .version = GPU_PROTOCOL_VERSION,
                            .memory_bytes = options->memory_bytes,
                            .instruction_budget = options->instruction_budget,
                            .threads = options->threads,
                            .device = (uint32_t)options->devices,
                            .flag = options->checks};
    struct gpu *g = calloc(1, sizeof *g);
    int work, result;

    if (g == NULL) {
        close(control_fd);
        return NULL;
    }
    g->fd = control_fd;
    pthread_mutex_init(&g->lock, NULL);
    work = work_open(g);
    result = work >= 0 ? owner_call(g, &q, work, NULL) : -1;
    if (work >= 0)
        close(work);
    if (result != 0) {
        gpu_close(g);
        return NULL;
    }
    return g;
}

void
gpu_close(struct gpu *g)
{
    if (g == NULL)
        return;
    close(g->fd);
    if (g->work != NULL)
        munmap(g->work, sizeof *g->work);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

int
gpu_add_client(struct gpu *g, int fd, uint32_t *client)
{
    struct gpu_control q = {.op = CONTROL_NEW_CLIENT};
    int result;

    q.client = __atomic_add_fetch(&g->last_client, 1, __ATOMIC_RELAXED);
    result = owner_call(g, &q, fd, NULL);
    if (result != 0)
        return result;
    *client = q.client;
    return 0;
}

int
gpu_new_client(struct gpu *g, uint32_t *client)
{
    int pair[2], result;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    result = gpu_add_client(g, pair[0], client);
    close(pair[0]);
    if (result != 0) {
        close(pair[1]);
        return result;
    }
    return pair[1];
}

int
gpu_drop_client(struct gpu *g, uint32_t client)
{
    struct gpu_control q = {.op = CONTROL_DROP_CLIENT, .client = client};

    return owner_call(g, &q, -1, NULL);
}

int
gpu_import(struct gpu *g, int memfd, uint64_t bytes, int device, bool initialized,
           uint64_t *address)
{
    struct gpu_control q = {.op = CONTROL_IMPORT,
                            .bytes = bytes,
                            .device = (uint32_t)device,
                            .flag = initialized};
    struct gpu_control_reply reply;
    int result;

    result = owner_call(g, &q, memfd, &reply);
    if (result != 0)
        return result;
    *address = reply.address;
    return 0;
}

int
gpu_release(struct gpu *g, uint64_t address)
{
    struct gpu_control q = {.op = CONTROL_RELEASE, .address = address};

    return owner_call(g, &q, -1, NULL);
}

int
gpu_name(struct gpu *g, uint64_t address, const char *name, uint32_t element_bytes)
{
    struct gpu_control q = {
        .op = CONTROL_NAME, .address = address, .bytes = element_bytes};

    snprintf(q.name, sizeof q.name, "%s", name);
    return owner_call(g, &q, -1, NULL);
}

int
gpu_mark(struct gpu *g, uint64_t address, uint64_t bytes, bool initialized)
{
    struct gpu_control q = {
        .op = CONTROL_MARK, .address = address, .bytes = bytes, .flag = initialized};

    return owner_call(g, &q, -1, NULL);
}

int
gpu_counters(struct gpu *g, uint32_t client, struct counters *out)
{
    struct gpu_control q = {.op = CONTROL_COUNTERS, .client = client};
    struct gpu_control_reply reply;
    int result;

    result = owner_call(g, &q, -1, &reply);
    if (result != 0)
        return result;
    *out = reply.counters;
    return 0;
}

int
gpu_cost(struct gpu *g, uint32_t client, uint32_t index, uint32_t first_line,
         struct kernel_cost *out)
{
    struct gpu_control q = {
        .op = CONTROL_COST, .client = client, .bytes = index, .address = first_line};
    struct gpu_control_reply reply;
    int result;

    result = owner_call(g, &q, -1, &reply);
    if (result != 0)
        return result;
    if (reply.address == 0)
        return 0;
    *out = reply.cost;
    return 1;
}

int
gpu_notice(struct gpu *g, uint32_t client, uint32_t index, struct fault *out)
{
    struct gpu_control q = {.op = CONTROL_NOTICE, .client = client, .bytes = index};
    struct gpu_control_reply reply;
    int result;

    result = owner_call(g, &q, -1, &reply);
    if (result != 0)
        return result;
    if (reply.address == 0)
        return 0;
    *out = reply.fault;
    return 1;
}

int
gpu_costs_reset(struct gpu *g)
{
    struct gpu_control q = {.op = CONTROL_COSTS_RESET};

    return owner_call(g, &q, -1, NULL);
}

int
gpu_fault(struct gpu *g, uint32_t client, struct fault *out)
{
    struct gpu_control q = {.op = CONTROL_FAULT, .client = client};
    struct gpu_control_reply reply;
    int result;

    result = owner_call(g, &q, -1, &reply);
    if (result != 0)
        return result;
    *out = reply.fault;
    return 0;
}

int
gpu_interrupt(struct gpu *g)
{
    struct gpu_control q = {.op = CONTROL_INTERRUPT};

    return send_request(g, &q, -1);
}

struct work_count *
gpu_work(struct gpu *g)
{
    return g->work;
}

int
gpu_set_checks(struct gpu *g, bool checks)
{
    struct gpu_control q = {.op = CONTROL_CHECKS, .flag = checks};

    return owner_call(g, &q, -1, NULL);
}

int
gpu_assembly(struct gpu *g, int fd)
{
    struct gpu_control q = {.op = CONTROL_ASSEMBLY};

    return owner_call(g, &q, fd, NULL);
}

/*
 * A client as a state machine over a non-blocking socket:
 *
 *       request -> [bulk] -> execute -> [reply, bulk] -> request ...
 *
 * While a reply is being sent nothing more is read. So a client can make us hold no
 * more than one buffer in each direction. Large copies move between the socket and
 * device memory directly, without a buffer.
 */
#include "client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define DIRECT_BYTES                                                                     \
    32768u /* for more bytes than this, a system call of its own beats a copy */

struct client *
client_new(int fd, uint32_t number)
{
    struct client *c = calloc(1, sizeof *c);

    if (c == NULL) {
        close(fd);
        return NULL;
    }
    c->fd = fd;
    c->number = number;
    c->out_fd = -1;
    return c;
}

void
client_unload(struct server *s, struct client *c, uint32_t module)
{
    struct mapping *m = c->managed[module];

    if (c->module[module] != NULL)
        module_unload(s->machine, c->module[module]);
    c->module[module] = NULL;
    c->managed[module] = NULL;
    if (m != NULL) {
        s->shared_bytes -= m->bytes;
        server_unmap(s, m);
    }
}

void
client_free_resources(struct server *s, struct client *c)
{
    for (size_t i = 0; i < c->allocation_count; i++) {
        struct allocation *a = &c->allocation[i];

        if (a->mapping != NULL) {
            s->shared_bytes -= a->mapping->bytes;
            server_unmap(s, a->mapping);
        } else {
            memory_free(s->machine, a->address);
        }
    }
    for (uint32_t i = 0; i < c->module_count; i++)
        client_unload(s, c, i);
    for (uint32_t i = 0; i < c->texture_count; i++)
        texture_free(s->machine, c->texture[i]);
    free(c->texture);
    c->texture = NULL;
    c->texture_count = c->texture_cap = 0;
    free(c->allocation);
    free(c->kernel);
    free(c->stamp);
    c->allocation = NULL;
    c->kernel = NULL;
    c->stamp = NULL;
    memset(c->peers, 0, sizeof c->peers);
    c->allocation_count = c->allocation_cap = 0;
    c->module_count = c->kernel_count = c->kernel_cap = c->stamp_count = 0;
}

static void
client_close(struct server *s, struct client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    if (c->out_fd >= 0)
        close(c->out_fd);
    c->out_fd = -1;
    free(c->heap);
    free(c->out_heap);
    free(c->text);
    c->heap = NULL;
    c->out_heap = NULL;
    c->text = NULL;
    c->text_bytes = c->text_errors = 0;
    c->bulk = BULK_NONE;
    c->sending = false;
    client_free_resources(s, c);
}

void
client_free(struct server *s, struct client *c)
{
    client_close(s, c);
    free(c->notice);
    free(c);
}

void
client_end(struct server *s, struct client *c, const char *why)
{
    if (c->fault.kind == FAULT_NONE) {
        c->fault.kind = FAULT_TRAP;
        snprintf(c->fault.text, sizeof c->fault.text,
                 "the program sent the emulated GPU a message that its runtime library "
                 "never sends (%s)",
                 why);
    }
    client_close(s, c);
}

/* --- output ------------------------------------------------------------------------- */

/* Moves as much of the bulk into the stage as fits after what it holds. Returns false
 * if the bulk's device memory is gone. */
static bool
stage_fill(struct server *s, struct client *c)
{
    while (c->out_done < c->out_bytes && c->stage_end < sizeof c->stage) {
        size_t room = sizeof c->stage - c->stage_end;
        uint64_t bytes = c->out_bytes - c->out_done;
        const char *from;

        if (c->out_heap != NULL) {
            from = c->out_heap + c->out_done;
        } else {
            from = region_next(s, &c->source, &bytes);
            if (from == NULL)
                return false;
            if (bytes >= DIRECT_BYTES)
                break;
        }
        if (bytes > room)
            bytes = room;
        memcpy(c->stage + c->stage_end, from, (size_t)bytes);
        c->stage_end += (size_t)bytes;
        c->out_done += bytes;
        c->source.done += bytes;
    }
    return true;
}

static ssize_t
send_some(struct client *c, const void *bytes, size_t len)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = len};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t n;

    if (c->out_fd < 0)
        return send(c->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &c->out_fd, sizeof c->out_fd);
    n = sendmsg(c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
        close(c->out_fd);
        c->out_fd = -1;
    }
    return n;
}

/* Sends until all is sent (c->sending is then false) or the socket is full. Returns
 * false if the client has ended. */
static bool
output_send(struct server *s, struct client *c)
{
    while (c->sending) {
        const void *from;
        uint64_t bytes;
        bool staged;
        ssize_t n;

        if (c->stage_start == c->stage_end)
            c->stage_start = c->stage_end = 0;
        if (!stage_fill(s, c))
            return false;
        staged = c->stage_end > c->stage_start;
        if (staged) {
            from = c->stage + c->stage_start;
            bytes = c->stage_end - c->stage_start;
        } else if (c->out_done < c->out_bytes) {
            from = region_next(s, &c->source, &bytes);
            if (from == NULL)
                return false;
        } else {
            free(c->out_heap);
            c->out_heap = NULL;
            c->sending = false;
            break;
        }
        n = send_some(c, from, (size_t)bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        if (staged) {
            c->stage_start += (size_t)n;
        } else {
            c->out_done += (uint64_t)n;
            c->source.done += (uint64_t)n;
        }
    }
    return true;
}

/* --- input -------------------------------------------------------------------------- */

/* Reads once. Returns the number of bytes, 0 if there are none now, -1 if the client
 * has gone. */
static ssize_t
read_some(struct client *c, void *to, uint64_t bytes)
{
    ssize_t n;

    do
        n = recv(c->fd, to, (size_t)bytes, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        c->taken += (uint64_t)n;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    return n > 0 ? n : -1;
}

static ssize_t
buffer_fill(struct client *c)
{
    ssize_t n;

    if (c->in_start > 0) {
        memmove(c->in, c->in + c->in_start, c->in_end - c->in_start);
        c->in_end -= c->in_start;
        c->in_start = 0;
    }
    n = read_some(c, c->in + c->in_end, sizeof c->in - c->in_end);
    if (n > 0)
        c->in_end += (size_t)n;
    return n;
}

/* The place for the bulk's next bytes and how many fit there. For BULK_DISCARD that is
 * the end of the buffer, which is empty then. NULL: the memory is gone. */
static void *
bulk_next(struct server *s, struct client *c, uint64_t *bytes)
{
    uint64_t left = c->request.bulk_bytes - c->bulk_done;

    *bytes = left;
    if (c->bulk == BULK_HEAP)
        return c->heap + c->bulk_done;
    if (c->bulk == BULK_MEMORY)
        return region_next(s, &c->target, bytes);
    if (*bytes > sizeof c->in)
        *bytes = sizeof c->in;
    return c->in;
}

enum step { STEP_DONE, STEP_WAIT, STEP_BROKEN, STEP_GONE };

/* Receives bulk until it is complete (STEP_DONE) or nothing more has arrived. */
static enum step
bulk_receive(struct server *s, struct client *c)
{
    while (c->bulk_done < c->request.bulk_bytes) {
        size_t have = c->in_end - c->in_start;
        uint64_t bytes;
        unsigned char *to = bulk_next(s, c, &bytes);
        ssize_t n;

        if (to == NULL)
            return STEP_BROKEN;
        if (have == 0 && bytes < DIRECT_BYTES && c->bulk != BULK_DISCARD) {
            n = buffer_fill(c);
            if (n <= 0)
                return n == 0 ? STEP_WAIT : STEP_GONE;
            continue;
        }
        if (have > 0) {
            n = (ssize_t)(bytes < have ? bytes : have);
            if (c->bulk != BULK_DISCARD)
                memcpy(to, c->in + c->in_start, (size_t)n);
            c->in_start += (size_t)n;
        } else {
            n = read_some(c, to, bytes);
            if (n <= 0)
                return n == 0 ? STEP_WAIT : STEP_GONE;
        }
        c->bulk_done += (uint64_t)n;
        c->target.done += (uint64_t)n;
    }
    return STEP_DONE;
}

/* --- requests ----------------------------------------------------------------------- */

static void
reply_start(struct client *c, const struct gpu_reply *reply)
{
    memcpy(c->stage, reply, sizeof *reply);
    c->stage_start = 0;
    c->stage_end = sizeof *reply;
    c->out_done = 0;
    c->out_bytes = reply->bulk_bytes;
    c->sending = true;
}

static void
request_finish(struct server *s, struct client *c, const unsigned char *text)
{
    struct gpu_reply reply = {0};

    command_execute(s, c, text, &reply);
    c->bulk = BULK_NONE;
    free(c->heap);
    c->heap = NULL;
    reply.output_bytes = (uint32_t)c->text_bytes;
    if (c->request.flags & GPU_QUIET) {
        if (reply.status != GPU_SUCCESS && c->deferred == GPU_SUCCESS)
            c->deferred = (int)reply.status;
    } else {
        reply_start(c, &reply);
    }
}

/* Takes the next request out of the buffer and executes it. If it has not arrived
 * completely, it takes what is there. */
static enum step
request_take(struct server *s, struct client *c)
{
    size_t have = c->in_end - c->in_start, whole;
    const unsigned char *text;

    if (have < sizeof c->request)
        return STEP_WAIT;
    memcpy(&c->request, c->in + c->in_start, sizeof c->request);
    if (c->request.op == GPU_OP_NONE || c->request.op >= GPU_OP_COUNT ||
        c->request.inline_bytes > GPU_INLINE_MAX)
        return STEP_BROKEN;
    whole = sizeof c->request + c->request.inline_bytes;
    if (have < whole)
        return STEP_WAIT;
    text = c->in + c->in_start + sizeof c->request;
    c->in_start += whole;
    if (c->request.bulk_bytes == 0 && c->request.op != GPU_WRITE) {
        request_finish(s, c, text);
        return STEP_DONE;
    }
    c->bulk_done = 0;
    return command_begin(s, c) ? STEP_DONE : STEP_BROKEN;
}

/* Does the next piece of work of a client. */
static enum step
client_step(struct server *s, struct client *c)
{
    enum step result;

    if (c->sending) {
        if (!output_send(s, c))
            return STEP_GONE;
        return c->sending ? STEP_WAIT : STEP_DONE;
    }
    if (c->bulk != BULK_NONE) {
        result = bulk_receive(s, c);
        if (result == STEP_DONE)
            request_finish(s, c, NULL);
        return result;
    }
    result = request_take(s, c);
    if (result == STEP_WAIT) {
        ssize_t n = buffer_fill(c);

        return n > 0 ? STEP_DONE : n == 0 ? STEP_WAIT : STEP_GONE;
    }
    return result;
}

enum serve
client_serve(struct server *s, struct client *c)
{
    uint64_t until = c->taken + CLIENT_BUFFER_BYTES;
    enum serve result = SERVE_MORE;

    if (c->fd < 0)
        return SERVE_ENDED;
    pthread_mutex_lock(&s->lock);
    s->current = c;
    pthread_mutex_unlock(&s->lock);
    while (c->taken < until && !atomic_load(&s->task_waiting)) {
        enum step done = client_step(s, c);

        if (done == STEP_DONE)
            continue;
        if (done == STEP_BROKEN)
            client_end(s, c, "not a request");
        else if (done == STEP_GONE)
            client_close(s, c);
        result = done == STEP_WAIT ? SERVE_IDLE : SERVE_ENDED;
        break;
    }
    if (result != SERVE_MORE) { /* otherwise it is still the one to interrupt */
        pthread_mutex_lock(&s->lock);
        s->current = NULL;
        c->interrupted = false;
        pthread_mutex_unlock(&s->lock);
    }
    return result;
}

void
client_drain(struct server *s, struct client *c)
{
    uint64_t target;
    int waiting = 0;

    if (c->fd < 0 || ioctl(c->fd, FIONREAD, &waiting) != 0)
        return;
    target = c->taken + (uint64_t)waiting;
    while (client_serve(s, c) == SERVE_MORE)
        if (c->taken - (c->in_end - c->in_start) >= target)
            break;
}

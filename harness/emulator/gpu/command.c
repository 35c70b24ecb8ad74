/*
 * Executes the requests of clients. Nothing in a request is trusted. Sizes are checked
 * against the device's memory, handles against the client's own tables, and addresses
 * against the allocations that exist. A mistake gives an error code. A request that our
 * runtime library could never send ends the client.
 *
 * As in a CUDA context, a kernel's fault is sticky, while all other errors are returned
 * once.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- errors ------------------------------------------------------------------------- */

int
fault_status(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_NONE:
        return GPU_SUCCESS;
    case FAULT_PTX_SYNTAX:
        return GPU_INVALID_PTX;
    case FAULT_PTX_UNSUPPORTED:
        return GPU_ILLEGAL_INSTRUCTION;
    case FAULT_ILLEGAL_ADDRESS:
        return GPU_ILLEGAL_ADDRESS;
    case FAULT_MISALIGNED:
        return GPU_MISALIGNED_ADDRESS;
    case FAULT_ASSERT:
        return GPU_ASSERT;
    case FAULT_LAUNCH_CONFIG:
        return GPU_INVALID_CONFIGURATION;
    case FAULT_OUT_OF_RESOURCES:
        return GPU_OUT_OF_RESOURCES;
    case FAULT_BUDGET:
    case FAULT_INTERRUPTED:
        return GPU_LAUNCH_TIMEOUT;
    case FAULT_OUT_OF_MEMORY:
    case FAULT_PROCESS_MEMORY:
        return GPU_OUT_OF_MEMORY;
    case FAULT_UNINITIALIZED:
    case FAULT_RACE:
    case FAULT_OUT_OF_ARRAY:
    case FAULT_DIVERGENT_BARRIER:
    case FAULT_SHUFFLE:
    case FAULT_BARRIER:
    case FAULT_TRAP:
        break;
    }
    return GPU_LAUNCH_FAILURE;
}

/* Does a launch that ended in this way leave the context unusable? */
static bool
fault_is_sticky(enum fault_kind kind)
{
    return kind != FAULT_LAUNCH_CONFIG && kind != FAULT_OUT_OF_RESOURCES &&
           kind != FAULT_OUT_OF_MEMORY;
}

/* Keeps the first fault. A later one replaces running out of memory, which a program
 * may survive, or a notice, which ends nothing. */
int
keep_fault(struct client *c, const struct fault *f)
{
    if (c->fault.kind == FAULT_NONE || c->fault.kind == FAULT_OUT_OF_MEMORY ||
        c->fault.kind == FAULT_PTX_SYNTAX || fault_is_notice(c->fault.kind))
        c->fault = *f;
    return fault_status(f->kind);
}

/* --- launches ----------------------------------------------------------------------- */

/* Returns false if the host has no memory for it. */
static bool
text_append(struct client *c, const char *text, size_t len)
{
    char *grown = len > 0 ? realloc(c->text, c->text_bytes + len) : NULL;

    if (grown == NULL)
        return false;
    c->text = grown;
    memcpy(c->text + c->text_bytes, text, len);
    c->text_bytes += len;
    return true;
}

/* Keeps what device printf wrote until the client fetches it. Text over the bound is
 * cut, as a GPU's ring buffer does. A failed assertion ends the context, so its few
 * lines are the last and may exceed the bound. */
static void
keep_output(struct server *s, struct client *c)
{
    size_t room =
        c->text_bytes < CLIENT_OUTPUT_MAX ? CLIENT_OUTPUT_MAX - c->text_bytes : 0;
    size_t len;
    char *text = machine_take_output(s->machine, &len);
    const char *asserted;

    if (text != NULL)
        text_append(c, text, len < room ? len : room);
    free(text);
    asserted = machine_asserted(s->machine, &len);
    if (asserted != NULL && text_append(c, asserted, len))
        c->text_errors = len;
}

int
command_launch(struct server *s, struct client *c, const unsigned char *text,
               struct gpu_reply *reply)
{
    const struct gpu_request *q = &c->request;
    struct launch l = {.dynamic_shared = q->launch.dynamic_shared,
                       .cooperative = (q->flags & GPU_COOPERATIVE) != 0,
                       .peers = c->peers[q->device],
                       .params = text};
    struct fault f = {0};
    struct kernel *k;

    (void)reply;
    if (q->id >= c->kernel_count || c->kernel[q->id] == NULL)
        return GPU_INVALID_HANDLE;
    k = c->kernel[q->id];
    if (kernel_device(k) != q->device)
        return GPU_INVALID_HANDLE;
    if (q->inline_bytes != kernel_param_bytes(k))
        return GPU_INVALID_VALUE;
    memcpy(l.grid, q->launch.grid, sizeof l.grid);
    memcpy(l.block, q->launch.block, sizeof l.block);
    memcpy(l.cluster, q->launch.cluster, sizeof l.cluster);
    if (server_launch_begin(s, c)) {
        int result = machine_launch(s->machine, k, &l, &f);
        uint32_t notices;
        const struct fault *list = machine_notices(s->machine, &notices);

        server_launch_end(s);
        client_notice(c, list, notices);
        keep_output(s, c);
        if (result == 0) {
            if (f.kind != FAULT_NONE && c->fault.kind == FAULT_NONE)
                keep_fault(c, &f);
            return GPU_SUCCESS;
        }
    } else {
        f.kind = FAULT_INTERRUPTED;
        snprintf(f.kernel, sizeof f.kernel, "%s", kernel_name(k));
        snprintf(f.text, sizeof f.text, "interrupted before the kernel %s began",
                 f.kernel);
    }
    keep_fault(c, &f);
    if (fault_is_sticky(f.kind))
        c->sticky = fault_status(f.kind);
    return fault_status(f.kind);
}

/* --- the rest ----------------------------------------------------------------------- */

int
command_hello(struct server *s, struct client *c, const unsigned char *text,
              struct gpu_reply *reply)
{
    struct machine_properties *p;

    (void)text;
    if (c->request.id != GPU_PROTOCOL_VERSION || c->request.flags & GPU_QUIET)
        return GPU_NOT_SUPPORTED;
    p = calloc(1, sizeof *p);
    if (p == NULL)
        return GPU_OUT_OF_MEMORY;
    machine_properties(s->machine, p);
    c->out_heap = (char *)p;
    reply->bulk_bytes = sizeof *p;
    return GPU_SUCCESS;
}

int
command_stamp(struct server *s, struct client *c, const unsigned char *text,
              struct gpu_reply *reply)
{
    uint32_t slot = c->request.id;

    (void)text;
    (void)reply;
    if (slot >= CLIENT_STAMPS_MAX)
        return GPU_OUT_OF_MEMORY;
    if (slot >= c->stamp_count) {
        uint32_t count = slot + 64;
        struct stamp *grown = realloc(c->stamp, count * sizeof *grown);

        if (grown == NULL)
            return GPU_OUT_OF_MEMORY;
        memset(grown + c->stamp_count, 0, (count - c->stamp_count) * sizeof *grown);
        c->stamp = grown;
        c->stamp_count = count;
    }
    c->stamp[slot] = (struct stamp){machine_clock(s->machine), true};
    return GPU_SUCCESS;
}

int
command_stamped(struct server *s, struct client *c, const unsigned char *text,
                struct gpu_reply *reply)
{
    uint32_t slot = c->request.id;

    (void)s;
    (void)text;
    if (slot >= c->stamp_count || !c->stamp[slot].set)
        return GPU_SUCCESS; /* value[1] tells that there is none */
    memcpy(&reply->value[0], &c->stamp[slot].ns, sizeof c->stamp[slot].ns);
    reply->value[1] = 1;
    return GPU_SUCCESS;
}

int
command_after(struct server *s, struct client *c, const unsigned char *text,
              struct gpu_reply *reply)
{
    uint32_t slot = c->request.id;

    (void)text;
    (void)reply;
    if (slot < c->stamp_count && c->stamp[slot].set)
        machine_wait_until(s->machine, c->stamp[slot].ns);
    return GPU_SUCCESS;
}

/* It opens all other devices: there is only one. */
int
command_peer(struct server *s, struct client *c, const unsigned char *text,
             struct gpu_reply *reply)
{
    bool *peers = &c->peers[c->request.device], wanted = c->request.id != 0;

    (void)text;
    (void)reply;
    if (machine_devices(s->machine) < 2)
        return GPU_INVALID_DEVICE;
    if (*peers == wanted)
        return wanted ? GPU_PEER_ALREADY_ENABLED : GPU_PEER_NOT_ENABLED;
    *peers = wanted;
    return GPU_SUCCESS;
}

int
command_sync(struct server *s, struct client *c, const unsigned char *text,
             struct gpu_reply *reply)
{
    (void)s;
    (void)c;
    (void)text;
    (void)reply;
    return GPU_SUCCESS;
}

int
command_output(struct server *s, struct client *c, const unsigned char *text,
               struct gpu_reply *reply)
{
    (void)s;
    (void)text;
    if (c->request.flags & GPU_QUIET)
        return GPU_INVALID_VALUE;
    c->out_heap = c->text;
    reply->bulk_bytes = c->text_bytes;
    reply->value[0] = c->text_errors;
    c->text = NULL;
    c->text_bytes = c->text_errors = 0;
    return GPU_SUCCESS;
}

int
command_reset(struct server *s, struct client *c, const unsigned char *text,
              struct gpu_reply *reply)
{
    (void)text;
    (void)reply;
    client_free_resources(s, c);
    return GPU_SUCCESS;
}

/* --- dispatch ----------------------------------------------------------------------- */

static handler *const handlers[] = {
#define X(name, function) [GPU_##name] = command_##function,
    GPU_OPS(X)
#undef X
};

/* Is it a request that works after a sticky error? A program may still ask for the
 * error, free memory and fetch text. */
static bool
works_after_fault(uint32_t op)
{
    return op == GPU_HELLO || op == GPU_FREE || op == GPU_OUTPUT || op == GPU_RESET;
}

/* Does the reply to this request return a quiet request's error? */
static bool
tells_deferred(uint32_t op)
{
    return op == GPU_SYNC || op == GPU_READ || op == GPU_WRITE || op == GPU_COPY ||
           op == GPU_SET || op == GPU_STAMPED;
}

/* Does this request let the host wait for the device? */
static bool
request_waits(uint32_t op)
{
    return op == GPU_SYNC || op == GPU_READ || op == GPU_WRITE || op == GPU_COPY ||
           op == GPU_SET;
}

/* Books the request itself, and the bytes that a copy moves. PTX is booked where it is
 * loaded. When the work is used up, the client finds its context unusable, as after an
 * endless kernel. */
static void
book_request(struct server *s, struct client *c)
{
    const struct gpu_request *q = &c->request;
    uint64_t work = WORK_REQUEST, bytes = 0;
    struct fault f = {.kind = FAULT_BUDGET};

    if (s->work == NULL)
        return;
    if (q->op == GPU_WRITE || q->op == GPU_READ || q->op == GPU_COPY)
        (void)__builtin_mul_overflow(q->copy.width, q->copy.height, &bytes);
    else if (q->op == GPU_SET)
        (void)__builtin_mul_overflow(q->set.width, q->set.height, &bytes);
    if (bytes <= memory_limit(s->machine)) /* otherwise the request is refused */
        work += bytes / WORK_BYTES;
    if (!work_add(s->work, work) || c->sticky != GPU_SUCCESS)
        return;
    snprintf(f.text, sizeof f.text, "it gave the emulated GPU too much to do");
    c->sticky = keep_fault(c, &f);
}

bool
command_begin(struct server *s, struct client *c)
{
    const struct gpu_request *q = &c->request;

    c->bulk_status = c->sticky;
    c->bulk = BULK_DISCARD;
    c->target = request_target(q);
    if (q->inline_bytes != 0)
        return false;
    if (q->op == GPU_WRITE) {
        uint64_t bytes;

        if (__builtin_mul_overflow(q->copy.width, q->copy.height, &bytes) ||
            bytes != q->bulk_bytes)
            return false;
        if (c->sticky != GPU_SUCCESS)
            return true;
        c->bulk = region_valid(s, &c->target) ? BULK_MEMORY : BULK_DISCARD;
        c->bulk_status = GPU_INVALID_VALUE;
        return true;
    }
    if (q->op != GPU_MODULE || q->bulk_bytes > GPU_MODULE_BYTES_MAX)
        return false;
    if (c->sticky == GPU_SUCCESS) {
        c->heap = malloc((size_t)q->bulk_bytes);
        c->bulk = c->heap != NULL ? BULK_HEAP : BULK_DISCARD;
        c->bulk_status = GPU_OUT_OF_MEMORY;
    }
    return true;
}

void
command_execute(struct server *s, struct client *c, const unsigned char *text,
                struct gpu_reply *reply)
{
    uint32_t op = c->request.op;
    bool exists = c->request.device < machine_devices(s->machine);
    int status;

    book_request(s, c);
    status = c->sticky;
    if (status == GPU_SUCCESS || works_after_fault(op)) {
        int result = GPU_INVALID_DEVICE;

        if (exists) {
            machine_select(s->machine, c->request.device);
            result = handlers[op](s, c, text, reply);
        }
        if (status == GPU_SUCCESS)
            status = result;
    }
    if (exists && request_waits(op) && !(c->request.flags & GPU_QUIET))
        machine_wait(s->machine);
    if (status == GPU_SUCCESS && tells_deferred(op) && !(c->request.flags & GPU_QUIET)) {
        status = c->deferred;
        c->deferred = GPU_SUCCESS;
    }
    if (status != GPU_SUCCESS && op != GPU_OUTPUT && op != GPU_HELLO) {
        free(c->out_heap);
        c->out_heap = NULL;
        reply->bulk_bytes = 0;
    }
    reply->status = (uint32_t)status;
}

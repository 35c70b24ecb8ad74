/*
 * What each request of a client does. Every number in a request is the client's word:
 * sizes are checked against the device's memory, handles against the client's own tables,
 * addresses against the allocations that exist. A mistake is an error code; only what our
 * runtime library could never send ends the client.
 *
 * Two kinds of error, as in a CUDA context: a kernel's fault is sticky, the rest is told
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

/* --- errors ---------------------------------------------------------------------------
 */

int
status_of(enum fault_kind kind)
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
        return GPU_OUT_OF_MEMORY;
    case FAULT_UNINITIALIZED:
    case FAULT_RACE:
    case FAULT_OUT_OF_ARRAY:
    case FAULT_DIVERGENT_BARRIER:
    case FAULT_BARRIER:
    case FAULT_TRAP:
        break;
    }
    return GPU_LAUNCH_FAILURE;
}

/* Does a launch that ended so leave the context unusable? */
static bool
is_sticky(enum fault_kind kind)
{
    return kind != FAULT_LAUNCH_CONFIG && kind != FAULT_OUT_OF_RESOURCES &&
           kind != FAULT_OUT_OF_MEMORY;
}

/* Running out of memory, which a program may survive, and a notice, which ends nothing,
 * make way for another. */
int
keep_fault(struct client *c, const struct fault *f)
{
    if (c->fault.kind == FAULT_NONE || c->fault.kind == FAULT_OUT_OF_MEMORY ||
        c->fault.kind == FAULT_PTX_SYNTAX || fault_is_notice(c->fault.kind))
        c->fault = *f;
    return status_of(f->kind);
}

/* --- memory ---------------------------------------------------------------------------
 */

/* Index of the first allocation that starts at or behind address. */
static size_t
allocation_index(const struct client *c, uint64_t address)
{
    size_t low = 0, high = c->allocation_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->allocation[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct allocation *
allocation_at(const struct client *c, uint64_t address)
{
    size_t i = allocation_index(c, address);

    if (i < c->allocation_count && c->allocation[i].address == address)
        return &c->allocation[i];
    if (i > 0 && address - c->allocation[i - 1].address < c->allocation[i - 1].bytes)
        return &c->allocation[i - 1];
    return NULL;
}

/* Makes room for one more; false: too many, or no host memory. */
static bool
allocation_reserve(struct client *c)
{
    size_t cap = c->allocation_cap != 0 ? 2 * c->allocation_cap : 64;
    struct allocation *grown;

    if (c->allocation_count < c->allocation_cap)
        return true;
    if (c->allocation_count >= CLIENT_ALLOCATIONS_MAX)
        return false;
    grown = realloc(c->allocation, cap * sizeof *grown);
    if (grown == NULL)
        return false;
    c->allocation = grown;
    c->allocation_cap = cap;
    return true;
}

static void
allocation_add(struct client *c, const struct allocation *a)
{
    size_t i = allocation_index(c, a->address);

    memmove(c->allocation + i + 1, c->allocation + i,
            (c->allocation_count - i) * sizeof *a);
    c->allocation[i] = *a;
    c->allocation_count++;
}

int
command_malloc(struct server *s, struct client *c, const unsigned char *text,
               struct gpu_reply *reply)
{
    struct allocation a = {.bytes = c->request.memory.bytes, .kind = GPU_MEMORY_DEVICE};
    struct fault f = {0};

    (void)text;
    if (a.bytes == 0)
        return GPU_INVALID_VALUE;
    if (!allocation_reserve(c))
        return GPU_OUT_OF_MEMORY;
    a.address = memory_alloc(s->machine, a.bytes, &f);
    if (a.address == 0)
        return keep_fault(c, &f);
    allocation_add(c, &a);
    reply->value[0] = a.address;
    return GPU_SUCCESS;
}

int
command_free(struct server *s, struct client *c, const unsigned char *text,
             struct gpu_reply *reply)
{
    struct allocation *a = allocation_at(c, c->request.memory.address);
    size_t i;

    (void)text;
    (void)reply;
    if (a == NULL || a->address != c->request.memory.address)
        return GPU_INVALID_VALUE;
    if (a->mapping != NULL) {
        s->shared_bytes -= a->mapping->bytes;
        server_unmap(s, a->mapping);
    } else {
        memory_free(s->machine, a->address);
    }
    i = (size_t)(a - c->allocation);
    c->allocation_count--;
    memmove(a, a + 1, (c->allocation_count - i) * sizeof *a);
    return GPU_SUCCESS;
}

/* A memfd that nobody can shrink under our mapping; -1: errno says why. */
static int
sealed_memfd(uint64_t bytes)
{
    int fd = memfd_create("warpjudge-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)bytes) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int saved = errno;

        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

struct mapping *
client_share(struct server *s, struct client *c, uint64_t wanted, uint64_t at,
             bool reserve_only)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), limit = memory_limit(s->machine);
    uint64_t bytes;
    struct mapping *m;
    int fd;

    if (wanted > limit || at % page != 0)
        return NULL;
    bytes = (wanted + page - 1) / page * page;
    if (s->shared_bytes > limit || bytes > limit - s->shared_bytes || c->out_fd >= 0)
        return NULL;
    fd = sealed_memfd(bytes);
    if (fd < 0)
        return NULL;
    m = reserve_only ? server_map_reserved(s, fd, bytes, at)
                     : server_map_shared(s, fd, bytes, at, wanted);
    if (m == NULL) {
        close(fd);
        return NULL;
    }
    s->shared_bytes += bytes;
    c->out_fd = fd;
    return m;
}

/* Pinned and managed memory: one memfd, mapped here and by the client, at the same
 * address there as the device sees it. */
int
command_shared(struct server *s, struct client *c, const unsigned char *text,
               struct gpu_reply *reply)
{
    struct allocation a = {.bytes = c->request.memory.bytes};

    (void)text;
    if (c->request.flags & GPU_QUIET ||
        a.bytes == 0) /* nobody would take the descriptor */
        return GPU_INVALID_VALUE;
    if (!allocation_reserve(c))
        return GPU_OUT_OF_MEMORY;
    a.mapping = client_share(s, c, a.bytes, c->request.memory.address, false);
    if (a.mapping == NULL)
        return GPU_OUT_OF_MEMORY;
    a.address = a.mapping->address;
    a.kind = c->request.flags & GPU_MANAGED ? GPU_MEMORY_MANAGED : GPU_MEMORY_PINNED;
    allocation_add(c, &a);
    reply->value[0] = a.address;
    reply->value[1] = a.mapping->bytes;
    return GPU_SUCCESS;
}

static bool
is_managed_variable(const struct client *c, uint64_t address)
{
    for (uint32_t i = 0; i < c->module_count; i++)
        if (c->managed[i] != NULL &&
            address - c->managed[i]->address < c->managed[i]->bytes)
            return true;
    return false;
}

int
command_info(struct server *s, struct client *c, const unsigned char *text,
             struct gpu_reply *reply)
{
    uint64_t address = c->request.memory.address, start, bytes;
    const struct allocation *a = allocation_at(c, address);
    int device;

    (void)text;
    if (memory_find(s->machine, address, &start, &bytes) != 0)
        return GPU_INVALID_VALUE;
    reply->value[0] = a != NULL ? a->address : start;
    reply->value[1] = a != NULL ? a->bytes : bytes;
    reply->value[2] = a != NULL                         ? a->kind
                      : is_managed_variable(c, address) ? GPU_MEMORY_MANAGED
                                                        : GPU_MEMORY_DEVICE;
    device = memory_device(s->machine, address);
    if (device != EVERY_DEVICE)
        reply->value[2] += (uint64_t)device * GPU_KINDS;
    return GPU_SUCCESS;
}

int
command_usage(struct server *s, struct client *c, const unsigned char *text,
              struct gpu_reply *reply)
{
    uint64_t limit = memory_limit(s->machine), used = memory_used(s->machine);

    (void)c;
    (void)text;
    reply->value[0] = used < limit ? limit - used : 0;
    reply->value[1] = limit;
    return GPU_SUCCESS;
}

/* --- copies ---------------------------------------------------------------------------
 */

static struct region
copy_to(const struct gpu_request *q)
{
    return (struct region){q->copy.to, q->copy.to_pitch, q->copy.width, q->copy.height,
                           0};
}

static struct region
copy_from(const struct gpu_request *q)
{
    return (struct region){q->copy.from, q->copy.from_pitch, q->copy.width,
                           q->copy.height, 0};
}

int
command_write(struct server *s, struct client *c, const unsigned char *text,
              struct gpu_reply *reply)
{
    (void)text;
    (void)reply;
    if (c->bulk == BULK_DISCARD)
        return c->bulk_status;
    region_mark(s, &c->target);
    machine_count_copy(s->machine, COPY_H2D, region_bytes(&c->target));
    return GPU_SUCCESS;
}

int
command_read(struct server *s, struct client *c, const unsigned char *text,
             struct gpu_reply *reply)
{
    struct region from = copy_from(&c->request);

    (void)text;
    if (c->request.flags & GPU_QUIET || !region_valid(s, &from))
        return GPU_INVALID_VALUE;
    machine_count_copy(s->machine, COPY_D2H, region_bytes(&from));
    c->source = from;
    reply->bulk_bytes = region_bytes(&from);
    return GPU_SUCCESS;
}

/* Pinned memory is the host's, whoever moves it. */
static enum copy_kind
copy_kind(struct server *s, const struct client *c, const struct gpu_request *q)
{
    const struct allocation *to = allocation_at(c, q->copy.to);
    const struct allocation *from = allocation_at(c, q->copy.from);

    if (from != NULL && from->kind == GPU_MEMORY_PINNED)
        return COPY_H2D;
    if (to != NULL && to->kind == GPU_MEMORY_PINNED)
        return COPY_D2H;
    return memory_device(s->machine, q->copy.from) ==
                   memory_device(s->machine, q->copy.to)
               ? COPY_D2D
               : COPY_PEER;
}

int
command_copy(struct server *s, struct client *c, const unsigned char *text,
             struct gpu_reply *reply)
{
    struct region to = copy_to(&c->request), from = copy_from(&c->request);
    uint64_t whole = region_bytes(&to);

    (void)text;
    (void)reply;
    if (!region_valid(s, &to) || !region_valid(s, &from))
        return GPU_INVALID_VALUE;
    while (to.done < whole) {
        uint64_t to_bytes, from_bytes, bytes;
        void *target = region_next(s, &to, &to_bytes);
        const void *source = region_next(s, &from, &from_bytes);

        if (target == NULL || source == NULL)
            return GPU_INVALID_VALUE;
        bytes = to_bytes < from_bytes ? to_bytes : from_bytes;
        memmove(target, source, (size_t)bytes);
        to.done += bytes;
        from.done += bytes;
    }
    region_mark(s, &to);
    machine_count_copy(s->machine, copy_kind(s, c, &c->request), whole);
    return GPU_SUCCESS;
}

/* Fills bytes (a multiple of element) with the element's value; doubles what is there. */
static void
fill(unsigned char *to, uint64_t bytes, uint32_t value, uint32_t element)
{
    uint64_t done = element;

    if (element == 1) {
        memset(to, (int)value, (size_t)bytes);
        return;
    }
    memcpy(to, &value, element);
    while (done < bytes) {
        uint64_t more = done < bytes - done ? done : bytes - done;

        memcpy(to + done, to, (size_t)more);
        done += more;
    }
}

int
command_set(struct server *s, struct client *c, const unsigned char *text,
            struct gpu_reply *reply)
{
    const struct gpu_request *q = &c->request;
    struct region to = {q->set.to, q->set.pitch, q->set.width, q->set.height, 0};
    uint32_t element = q->set.element;
    uint64_t whole = region_bytes(&to);

    (void)text;
    (void)reply;
    if ((element != 1 && element != 2 && element != 4) || q->set.width % element != 0 ||
        !region_valid(s, &to))
        return GPU_INVALID_VALUE;
    while (to.done < whole) {
        uint64_t bytes;
        void *target = region_next(s, &to, &bytes);

        if (target == NULL)
            return GPU_INVALID_VALUE;
        fill(target, bytes, q->set.value, element);
        to.done += bytes;
    }
    region_mark(s, &to);
    machine_count_copy(s->machine, COPY_MEMSET, whole);
    return GPU_SUCCESS;
}

/* --- launches -------------------------------------------------------------------------
 */

/* false: the host has no memory for it. */
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

/* Keeps what device printf wrote until the client takes it; what is over the bound is
 * cut, as a real device's ring buffer does. A failed assertion ends the context, so that
 * what it says (some lines, over the bound or not) is the last. */
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
    if (is_sticky(f.kind))
        c->sticky = status_of(f.kind);
    return status_of(f.kind);
}

/* --- the rest -------------------------------------------------------------------------
 */

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
        return GPU_SUCCESS; /* value[1] says that there is none */
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

/* There is no third device: access is to all others. */
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

/* --- dispatch -------------------------------------------------------------------------
 */

static handler *const handlers[] = {
#define X(name, function) [GPU_##name] = command_##function,
    GPU_OPS(X)
#undef X
};

/* What a context with a sticky error still does: tell it, give back memory and text. */
static bool
works_after_fault(uint32_t op)
{
    return op == GPU_HELLO || op == GPU_FREE || op == GPU_OUTPUT || op == GPU_RESET;
}

/* The requests whose reply tells a quiet request's error. */
static bool
tells_deferred(uint32_t op)
{
    return op == GPU_SYNC || op == GPU_READ || op == GPU_WRITE || op == GPU_COPY ||
           op == GPU_SET || op == GPU_STAMPED;
}

/* The requests that leave the host waiting for the device. */
static bool
waits(uint32_t op)
{
    return op == GPU_SYNC || op == GPU_READ || op == GPU_WRITE || op == GPU_COPY ||
           op == GPU_SET;
}

/* Books the request itself, and what a copy moves (PTX is booked where it is loaded). Who
 * has used up what there is finds the context unusable, as after an endless kernel. */
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
    if (bytes <= memory_limit(s->machine)) /* else it is refused */
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
    c->target = copy_to(q);
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
    if (exists && waits(op) && !(c->request.flags & GPU_QUIET))
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

/*
 * Dispatches to the kinds of device. It has what all kinds share: the list of buffers,
 * and the checks of sizes.
 */
#include "device/device_ops.h"

#include "base/buf.h"
#include "base/inject.h"
#include "numbers/dtype.h"
#include "runner/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int
parse_ordinal(const char *name, int *out)
{
    char *end;
    long n;

    if (strncmp(name, "cuda:", 5) != 0 || name[5] < '0' || name[5] > '9')
        return -1;
    errno = 0;
    n = strtol(name + 5, &end, 10);
    if (*end != '\0' || errno != 0 || n > 1023)
        return -1;
    *out = (int)n;
    return 0;
}

/* Opens one GPU, or two. */
static struct device *
open_gpus(int ordinal, const struct device_options *o, struct report *r)
{
    int partner = -1;

    if (o->gpus > 1 && (o->partner == NULL || parse_ordinal(o->partner, &partner) != 0 ||
                        partner == ordinal)) {
        report_fail(r, "cuda:%d is one GPU, %d are needed, and no other is named",
                    ordinal, o->gpus);
        return NULL;
    }
    return cuda_open(ordinal, partner, r);
}

struct device *
device_open(const char *name, const struct device_options *o, struct report *r)
{
    int ordinal;

    if (inject(INJECT_NO_DRIVER)) {
        report_fail(r, "%s: this machine has no NVIDIA driver any more", name);
        return NULL;
    }
    if (strcmp(name, "emu") == 0)
        return emu_open(o, r);
    if (strcmp(name, "host") == 0)
        return host_open(o, r);
    if (parse_ordinal(name, &ordinal) == 0)
        return open_gpus(ordinal, o, r);
    report_fail(
        r, "there is no device \"%s\": devices are named emu, cuda:0, cuda:1, ...", name);
    return NULL;
}

void
device_close(struct device *d)
{
    if (d == NULL)
        return;
    while (d->buffers != NULL)
        device_free(d, d->buffers);
    device_close(d->host);
    device_close(d->partner);
    d->ops->close(d);
}

bool
device_reset(struct device *d)
{
    if (d->ops->reset == NULL || d->partner != NULL || d->lost)
        return false;
    while (d->buffers != NULL)
        device_free(d, d->buffers);
    device_close(d->host);
    d->host = NULL;
    d->refused_bytes = 0;
    d->clock_running = false;
    return d->ops->reset(d);
}

void
device_info(const struct device *d, struct device_info *out)
{
    *out = d->info;
}

/* --- use ------------------------------------------------------------------- */

/* Has fault injection made this GPU fall off the bus? Then no call to it works any
 * more. */
static bool
device_is_lost(struct device *d, struct report *r)
{
    d->lost = d->lost || inject(INJECT_GPU_LOST);
    if (d->lost)
        report_fail(r, "%s has fallen off the bus", d->info.name);
    return d->lost;
}

/* Must come before every use. The caller asks d; `on` is the device that does the work:
 * d or its partner. */
static int
device_enter(struct device *d, struct device *on, struct report *r)
{
    if (device_is_lost(d, r))
        return -1;
    return on->ops->use != NULL ? on->ops->use(on, r) : 0;
}

/* --- buffers --------------------------------------------------------------- */

int
device_alloc_on(struct device *d, int gpu, uint64_t bytes, bool shareable,
                struct device_buffer **out, struct report *r)
{
    struct device *on = gpu > 0 && d->partner != NULL ? d->partner : d;
    struct device_buffer *b;

    if (device_enter(d, on, r) != 0)
        return -1;
    if (on->ops->alloc(on, bytes, shareable, &b, r) != 0) {
        on->refused_bytes = bytes;
        return -1;
    }
    b->device = on;
    b->gpu = gpu;
    b->name = NULL;
    b->previous = NULL;
    b->next = on->buffers;
    if (on->buffers != NULL)
        on->buffers->previous = b;
    on->buffers = b;
    *out = b;
    return 0;
}

int
device_alloc(struct device *d, uint64_t bytes, bool shareable, struct device_buffer **out,
             struct report *r)
{
    return device_alloc_on(d, 0, bytes, shareable, out, r);
}

void
device_name_buffer(struct device_buffer *b, const char *name, uint32_t element_bytes)
{
    b->name = name;
    b->element_bytes = element_bytes;
}

/* A GPU's runner registers this memory with the driver. Elsewhere it is ordinary
 * memory. */
int
device_alloc_host(struct device *d, uint64_t bytes, bool shareable,
                  struct device_buffer **out, struct report *r)
{
    const struct device_options options = {.strangers = true};

    if (d->host == NULL) {
        d->host = device_open("host", &options, r);
        if (d->host == NULL)
            return -1;
        if (!d->host_memory)
            d->host->info.runner_memory = RUNNER_MEMORY_PINNED;
    }
    return device_alloc(d->host, bytes, shareable, out, r);
}

bool
device_resize(struct device_buffer *b, uint64_t bytes)
{
    const struct device_ops *ops = b->device->ops;

    return ops->resize != NULL && (b->bytes == bytes || ops->resize(b, bytes));
}

void
device_free(struct device *d, struct device_buffer *b)
{
    struct report ignored = {0}; /* a context that cannot be used has no memory either */

    if (b == NULL)
        return;
    d = b->device;
    if (b->next != NULL)
        b->next->previous = b->previous;
    if (b->previous != NULL)
        b->previous->next = b->next;
    else
        d->buffers = b->next;
    if (d->ops->use != NULL)
        (void)d->ops->use(d, &ignored);
    d->ops->free(d, b);
}

uint64_t
device_refused(const struct device *d, int *gpu)
{
    *gpu = d->refused_bytes == 0 && d->partner != NULL;
    return *gpu == 0 ? d->refused_bytes : d->partner->refused_bytes;
}

void
device_forget_refused(struct device *d)
{
    d->refused_bytes = 0;
    if (d->partner != NULL)
        d->partner->refused_bytes = 0;
}

uint64_t
device_buffer_bytes(const struct device_buffer *b)
{
    return b->bytes;
}

const void *
device_view(const struct device_buffer *b)
{
    return b->view;
}

void *
device_slack(const struct device_buffer *b, size_t *bytes)
{
    *bytes = b->view != NULL ? -b->bytes % HOST_PAGE_BYTES : 0;
    return *bytes > 0 ? (char *)b->view + b->bytes : NULL;
}

static int
check_range(const struct device_buffer *b, uint64_t offset, uint64_t bytes,
            struct report *r)
{
    if (offset > b->bytes || bytes > b->bytes - offset)
        return report_fail(r, "bytes %ju to %ju are outside a buffer of %ju bytes",
                           (uintmax_t)offset, (uintmax_t)(offset + bytes),
                           (uintmax_t)b->bytes);
    return 0;
}

static int
check_count(const struct device_buffer *b, uint64_t count, uint8_t dtype,
            struct report *r)
{
    const uint64_t size = dtype_size((enum dtype)dtype);

    if (count > b->bytes / size)
        return report_fail(r, "%ju elements of %ju bytes are more than a buffer of %ju",
                           (uintmax_t)count, (uintmax_t)size, (uintmax_t)b->bytes);
    return 0;
}

int
device_fill(struct device *d, struct device_buffer *b, const struct gen *g, uint64_t seed,
            uint64_t count, struct report *r)
{
    if (check_count(b, count, g->dtype, r) != 0 || device_enter(d, b->device, r) != 0)
        return -1;
    return b->device->ops->fill(b->device, b, g, seed, count, r);
}

int
device_poison(struct device *d, struct device_buffer *b, uint64_t seed, struct report *r)
{
    if (device_enter(d, b->device, r) != 0)
        return -1;
    return b->device->ops->poison(b->device, b, seed, r);
}

int
device_zero(struct device *d, struct device_buffer *b, struct report *r)
{
    return device_enter(d, b->device, r) != 0 ? -1
                                              : b->device->ops->zero(b->device, b, r);
}

bool
device_shares_memory(const struct device *a, const struct device *b)
{
    return a == b || (a->host_memory && b->host_memory);
}

static int
device_enter_copy(struct device *d, const struct device_buffer *to,
                  const struct device_buffer *from, struct report *r)
{
    if (!device_shares_memory(to->device, from->device))
        return report_fail(r, "a buffer of one device cannot be copied to another's");
    if (to->bytes != from->bytes)
        return report_fail(r, "a buffer of %ju bytes cannot be copied to one of %ju",
                           (uintmax_t)from->bytes, (uintmax_t)to->bytes);
    return device_enter(d, to->device, r);
}

int
device_copy(struct device *d, struct device_buffer *to, const struct device_buffer *from,
            struct report *r)
{
    if (device_enter_copy(d, to, from, r) != 0)
        return -1;
    return to->device->ops->copy(to->device, to, from, r);
}

bool
device_copies_behind(const struct device *d)
{
    return d->ops->copy_queue != NULL;
}

int
device_copy_queue(struct device *d, struct device_buffer *to,
                  const struct device_buffer *from, struct report *r)
{
    if (device_enter_copy(d, to, from, r) != 0)
        return -1;
    return to->device->ops->copy_queue(to->device, to, from, r);
}

int
device_wait(struct device *d, double *ns, struct report *r)
{
    double longest = 0;

    for (struct device *on = d; on != NULL; on = on->partner) {
        double took = 0;

        if (device_enter(d, on, r) != 0 || on->ops->wait(on, &took, r) != 0)
            return -1;
        longest = took > longest ? took : longest;
    }
    if (ns != NULL)
        *ns = longest;
    return 0;
}

int
device_queue(struct device *d, struct report *r)
{
    for (struct device *on = d; on != NULL; on = on->partner)
        if (device_enter(d, on, r) != 0 ||
            (on->ops->queue != NULL && on->ops->queue(on, r) != 0))
            return -1;
    return 0;
}

int
device_hold(struct device *d, double ns, struct report *r)
{
    for (struct device *on = d; on != NULL; on = on->partner)
        if (device_enter(d, on, r) != 0 ||
            (on->ops->hold != NULL && on->ops->hold(on, ns, r) != 0))
            return -1;
    for (struct device *on = d; on != NULL; on = on->partner)
        if (device_enter(d, on, r) != 0 ||
            (on->ops->await_hold != NULL && on->ops->await_hold(on, r) != 0))
            return -1;
    return 0;
}

int
device_let_go(struct device *d, struct report *r)
{
    for (struct device *on = d; on != NULL; on = on->partner)
        if (device_enter(d, on, r) != 0 ||
            (on->ops->let_go != NULL && on->ops->let_go(on, r) != 0))
            return -1;
    return 0;
}

int
device_read(struct device *d, const struct device_buffer *b, uint64_t offset,
            uint64_t bytes, void *host, struct report *r)
{
    if (check_range(b, offset, bytes, r) != 0 || device_enter(d, b->device, r) != 0)
        return -1;
    return b->device->ops->read(b->device, b, offset, bytes, host, r);
}

int
device_write(struct device *d, struct device_buffer *b, uint64_t offset, uint64_t bytes,
             const void *host, struct report *r)
{
    if (check_range(b, offset, bytes, r) != 0 || device_enter(d, b->device, r) != 0)
        return -1;
    return b->device->ops->write(b->device, b, offset, bytes, host, r);
}

int
device_compare(struct device *d, const struct device_buffer *got,
               const struct device_buffer *want, uint64_t count,
               const struct compare_rule *rule, struct compare_result *out,
               struct report *r)
{
    if (!device_shares_memory(got->device, want->device))
        return report_fail(r, "buffers of two devices cannot be compared");
    if (check_count(got, count, rule->dtype, r) != 0 ||
        check_count(want, count, rule->dtype, r) != 0 ||
        device_enter(d, got->device, r) != 0)
        return -1;
    return got->device->ops->compare(got->device, got, want, count, rule, out, r);
}

/* --- what only some kinds have --------------------------------------------- */

int
device_flush(struct device *d, struct report *r)
{
    for (struct device *on = d; on != NULL; on = on->partner)
        if (device_enter(d, on, r) != 0 ||
            (on->ops->flush != NULL && on->ops->flush(on, r) != 0))
            return -1;
    return 0;
}

int
device_share(struct device *d, struct device_buffer *b, struct device_share *out,
             struct report *r)
{
    if (!b->shareable)
        return report_fail(r, "a private buffer was to be shared");
    if (device_enter(d, b->device, r) != 0 ||
        b->device->ops->share(b->device, b, out, r) != 0)
        return -1;
    out->memory = b->device->info.runner_memory;
    out->gpu = b->gpu;
    return 0;
}

int
device_runner(struct device *d, struct device_runner *out, struct report *r)
{
    if (device_enter(d, d, r) != 0)
        return -1;
    if (d->ops->runner != NULL)
        return d->ops->runner(d, out, r);
    *out = (struct device_runner){.gpu_socket = -1};
    return 0;
}

int
device_set_keeper(struct device *d, int pidfd, uint64_t limit_ms, struct report *r)
{
    for (struct device *on = d; on != NULL; on = on->partner)
        if (on->ops->set_keeper != NULL &&
            on->ops->set_keeper(on, pidfd, limit_ms, r) != 0)
            return -1;
    return 0;
}

int
device_fault(struct device *d, struct fault *out, struct report *r)
{
    if (device_is_lost(d, r))
        return -1;
    for (struct device *on = d; on != NULL; on = on->partner) {
        const int rc = on->ops->fault != NULL ? on->ops->fault(on, out, r) : 0;

        if (rc != 0)
            return rc;
    }
    return 0;
}

int
device_rates(struct device *d, bool awake, struct device_rates *out, struct report *r)
{
    if (d->ops->rates == NULL)
        return 0;
    return device_enter(d, d, r) != 0 ? -1 : d->ops->rates(d, awake, out, r);
}

double
device_bus_bytes(struct device *d)
{
    return d->ops->bus_bytes != NULL ? d->ops->bus_bytes(d) : -1;
}

int
device_notice(struct device *d, uint32_t index, struct fault *out, struct report *r)
{
    return d->ops->notice != NULL ? d->ops->notice(d, index, out, r) : 0;
}

int
device_counters(struct device *d, struct counters *out, struct report *r)
{
    return d->ops->counters != NULL ? d->ops->counters(d, out, r) : 0;
}

int
device_cost(struct device *d, uint32_t index, uint32_t first_line,
            struct kernel_cost *out, struct report *r)
{
    return d->ops->cost != NULL ? d->ops->cost(d, index, first_line, out, r) : 0;
}

int
device_costs_reset(struct device *d, struct report *r)
{
    return d->ops->costs_reset != NULL ? d->ops->costs_reset(d, r) : 0;
}

int
device_interrupt(struct device *d, struct report *r)
{
    return d->ops->interrupt != NULL ? d->ops->interrupt(d, r) : 0;
}

int
device_set_checks(struct device *d, bool checks, struct report *r)
{
    return d->ops->set_checks != NULL ? d->ops->set_checks(d, checks, r) : 0;
}

int
device_set_assembly(struct device *d, const char *path, struct report *r)
{
    return d->ops->assembly != NULL ? d->ops->assembly(d, path, r) : 0;
}

uint64_t
device_own_bytes(const struct device *d)
{
    uint64_t bytes = 0;

    for (const struct device_buffer *b = d->buffers; b != NULL; b = b->next)
        bytes += b->bytes;
    return bytes;
}

int
device_memory(struct device *d, struct device_memory out[DEVICE_GPUS_MAX],
              struct report *r)
{
    memset(out, 0, DEVICE_GPUS_MAX * sizeof *out);
    for (struct device *on = d; on != NULL; on = on->partner, out++) {
        out->own_bytes = device_own_bytes(on);
        if (device_enter(d, on, r) != 0 ||
            (on->ops->free_bytes != NULL &&
             on->ops->free_bytes(on, &out->free_bytes, r) != 0))
            return -1;
    }
    return 0;
}

int
device_health(struct device *d, struct device_memory out[DEVICE_GPUS_MAX],
              struct report *r)
{
    for (struct device *on = d; on != NULL; on = on->partner)
        if (device_enter(d, on, r) != 0 ||
            (on->ops->health != NULL && on->ops->health(on, r) != 0))
            return -1;
    return device_memory(d, out, r);
}

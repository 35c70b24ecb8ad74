/*
 * The kind "cuda": a GPU, through NVIDIA's driver. This file opens and closes it, and
 * finds what a runner needs to reach it. cuda_gpu.h says where the rest is.
 *
 * The arbiter has a context of its own, the device's primary one in this process. It
 * also has a stream of its own, which does not wait for the default stream. With two
 * GPUs each is a device with all of that. device.c makes a device's context current
 * before it calls any function of this kind.
 */
#include "device/cuda_gpu.h"

#include "device/nvml.h"
#include "device/watchdog.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size of the flush buffer, in sizes of the last-level cache. */
#define FLUSH_L2_SIZES 2
#define FLUSH_BYTES_MIN ((uint64_t)64 << 20)

/* Makes this device's context current; a thread has one current context. */
static int
cuda_use(struct device *d, struct report *r)
{
    struct cuda *c = cuda_of(d);

    return cuda_check(c, c->cu->context_use(c->context), "cuCtxSetCurrent", r);
}

/* --- the runner ------------------------------------------------------------ */

/* Lets the runner see this GPU only, as its ordinal 0, and the partner as 1. The variable
 * names them by their UUIDs: their numbers count the nodes that we see, and the runner
 * has no other GPU's node. A part of a GPU (MIG) has a name of its own, which only
 * its owner knows. */
static int
confine_runner(struct cuda *c, struct report *r)
{
    const char *said = getenv("CUDA_VISIBLE_DEVICES");
    const struct cuda *partner =
        c->base.partner != NULL ? cuda_of(c->base.partner) : NULL;
    const char *ids[] = {c->id, partner != NULL ? partner->id : NULL, NULL};

    if (said != NULL && strncmp(said, "MIG-", 4) == 0)
        return report_fail(r,
                           "CUDA_VISIBLE_DEVICES names a part of a GPU (%.40s), which "
                           "the judge cannot give to a submission: name whole GPUs",
                           said);
    c->visible = xasprintf("CUDA_VISIBLE_DEVICES=%s%s%s", c->id,
                           partner != NULL ? "," : "", partner != NULL ? ids[1] : "");
    if (gpu_nodes_find("", ids, &c->nodes) < 0)
        fprintf(stderr,
                "%s: the driver does not tell its device node; submissions see "
                "those of all GPUs\n",
                c->base.info.name);
    return 0;
}

static int
cuda_runner(struct device *d, struct device_runner *out, struct report *r)
{
    struct cuda *c = cuda_of(d);

    (void)r;
    *out = (struct device_runner){
        .gpu_socket = -1, .env = {c->visible}, .gpu = (const char *const *)c->nodes.path};
    return 0;
}

/* --- opening --------------------------------------------------------------- */

static int
read_attributes(struct cuda *c, struct report *r)
{
    int handles = 0, l2 = 0, persisting = 0, sms = 0;

    if (cuda_check(
            c, c->cu->device_attribute(&handles, CU_ATTRIBUTE_POSIX_HANDLES, c->device),
            "cuDeviceGetAttribute", r) != 0 ||
        cuda_check(c, c->cu->device_attribute(&l2, CU_ATTRIBUTE_L2_BYTES, c->device),
                   "cuDeviceGetAttribute", r) != 0 ||
        cuda_check(c,
                   c->cu->device_attribute(&persisting, CU_ATTRIBUTE_PERSISTING_L2_BYTES,
                                           c->device),
                   "cuDeviceGetAttribute", r) != 0 ||
        cuda_check(c,
                   c->cu->device_attribute(&sms, CU_ATTRIBUTE_MULTIPROCESSORS, c->device),
                   "cuDeviceGetAttribute", r) != 0)
        return -1;
    if (handles == 0)
        return report_fail(r,
                           "%s cannot hand its memory to another process as a file "
                           "descriptor, which the judge rests on",
                           c->base.info.name);
    c->l2_bytes = (uint64_t)l2;
    c->flush_bytes = (uint64_t)l2 * FLUSH_L2_SIZES;
    if (c->flush_bytes < FLUSH_BYTES_MIN)
        c->flush_bytes = FLUSH_BYTES_MIN;
    c->can_persist = persisting > 0;
    c->grid_max = (unsigned)sms * BLOCKS_PER_SM;
    c->prop = (struct cu_allocation){
        .type = CU_ALLOCATION_PINNED,
        .handle_types = CU_HANDLE_POSIX_FD,
        .location = {.type = CU_LOCATION_DEVICE, .id = c->device},
    };
    return cuda_check(
        c, c->cu->granularity(&c->granularity, &c->prop, CU_GRANULARITY_RECOMMENDED),
        "cuMemGetAllocationGranularity", r);
}

/* Undoes what has been done, also for a device that was only partly opened. */
static void
cuda_close(struct device *d)
{
    struct cuda *c = cuda_of(d);

    watchdog_free(c->watchdog);
    if (c->context != NULL)
        (void)c->cu->context_use(c->context);
    if (c->flush_buffer != 0)
        c->cu->free(c->flush_buffer);
    if (c->result != 0)
        c->cu->free(c->result);
    if (c->words != NULL)
        c->cu->host_free(c->words);
    if (c->module != NULL)
        c->cu->module_unload(c->module);
    if (c->copies_begin != NULL)
        c->cu->event_destroy(c->copies_begin);
    if (c->copies_end != NULL)
        c->cu->event_destroy(c->copies_end);
    if (c->stream != NULL)
        c->cu->stream_destroy(c->stream);
    if (c->context != NULL)
        c->cu->context_release(c->device);
    free(c->visible);
    gpu_nodes_free(&c->nodes);
    nvml_close(c->nvml);
    free(c);
}

/* The context, the stream, the kernels and our private buffers stay. No runner has seen
 * any of them. */
static bool
cuda_reset(struct device *d)
{
    struct cuda *c = cuda_of(d);

    if (c->kept || c->queues)
        return false;
    c->keeper = -1;
    c->copies_queued = false;
    c->was_reset = true;
    return true;
}

static int
cuda_start(struct cuda *c, int ordinal, struct report *r)
{
    int count = 0;
    cu_context context;

    if (cuda_check(c, c->cu->device_count(&count), "cuDeviceGetCount", r) != 0)
        return -1;
    if (ordinal >= count)
        return report_fail(r, "there is no GPU cuda:%d: this machine has %d", ordinal,
                           count);
    if (cuda_describe(c->cu, ordinal, &c->base.info, r) != 0 ||
        cuda_check(c, c->cu->device_get(&c->device, ordinal), "cuDeviceGet", r) != 0 ||
        libcuda_gpu_id(c->cu, c->device, c->id, r) != 0 || read_attributes(c, r) != 0)
        return -1;
    /* The driver spins while it waits, because waking from sleep would add to the
     * interval. */
    if (cuda_check(c, c->cu->context_flags(c->device, CU_SCHEDULE_SPIN),
                   "cuDevicePrimaryCtxSetFlags", r) != 0 ||
        cuda_check(c, c->cu->context_retain(&context, c->device),
                   "cuDevicePrimaryCtxRetain", r) != 0)
        return -1;
    c->context = context;
    if (cuda_check(c, c->cu->context_use(context), "cuCtxSetCurrent", r) != 0 ||
        cuda_check(c, c->cu->stream_create(&c->stream, CU_STREAM_NO_DEFAULT_SYNC),
                   "cuStreamCreate", r) != 0 ||
        cuda_check(c, c->cu->event_create(&c->copies_begin, 0), "cuEventCreate", r) !=
            0 ||
        cuda_check(c, c->cu->event_create(&c->copies_end, 0), "cuEventCreate", r) != 0 ||
        cuda_load_kernels(c, r) != 0 || cuda_alloc_words(c, r) != 0)
        return -1;
    c->can_forbid =
        c->can_persist && c->cu->set_limit(CU_LIMIT_PERSISTING_L2_BYTES, 0) == CU_OK;
    return cuda_check(c, c->cu->alloc(&c->result, sizeof(struct compare_result)),
                      "cuMemAlloc", r);
}

static struct cuda *
cuda_open_gpu(int ordinal, struct report *r)
{
    static const struct device_ops ops = {
        .close = cuda_close,
        .reset = cuda_reset,
        .use = cuda_use,
        .alloc = cuda_alloc,
        .free = cuda_free,
        .resize = cuda_resize,
        .fill = cuda_fill,
        .poison = cuda_poison,
        .zero = cuda_zero,
        .copy = cuda_copy,
        .copy_queue = cuda_copy_queue,
        .wait = cuda_wait,
        .queue = cuda_queue,
        .hold = cuda_hold,
        .await_hold = cuda_await_hold,
        .let_go = cuda_let_go,
        .read = cuda_read,
        .write = cuda_write,
        .compare = cuda_compare,
        .flush = cuda_flush,
        .rates = cuda_rates,
        .share = cuda_share,
        .runner = cuda_runner,
        .fault = cuda_fault,
        .set_keeper = cuda_set_keeper,
        .health = cuda_health,
        .free_bytes = cuda_free_bytes,
        .bus_bytes = cuda_bus_bytes,
    };
    const struct libcuda *cu = libcuda_get(r);
    struct cuda *c;

    if (cu == NULL)
        return NULL;
    c = xcalloc(1, sizeof *c);
    c->base.ops = &ops;
    c->cu = cu;
    c->keeper = -1;
    if (cuda_start(c, ordinal, r) != 0) {
        report_prefix(r, "cuda:%d", ordinal);
        cuda_close(&c->base);
        return NULL;
    }
    return c;
}

struct device *
cuda_open(int ordinal, int partner, struct report *r)
{
    struct cuda *c = cuda_open_gpu(ordinal, r), *other = NULL;

    if (c == NULL)
        return NULL;
    if (partner >= 0)
        other = cuda_open_gpu(partner, r);
    c->base.partner = other != NULL ? &other->base : NULL;
    if ((partner < 0 || other != NULL) && confine_runner(c, r) == 0)
        return &c->base;
    report_prefix(r, "cuda:%d", ordinal);
    device_close(&c->base);
    return NULL;
}

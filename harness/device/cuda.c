/*
 * The kind "cuda": a GPU, through the driver.
 *
 * The arbiter has a context of its own (the device's primary one in this process) and a
 * stream of its own that does not wait for the default stream. Every function here has
 * waited for its work when it returns, but for what comes between cuda_queue and
 * cuda_hold. Of two cards each is a device with all of that, and device.c makes its
 * context the current one before it calls any function here.
 *
 * A shareable buffer is a cuMemCreate allocation with a POSIX descriptor as its handle: a
 * runner imports it and uses it at full speed (docs of cuMemExportToShareableHandle;
 * memory opened through cudaIpc was measured at 1.7 times the time). Private ones come
 * from cuMemAlloc and have no handle at all, so no other process can reach them.
 */
#include "device/cuda_rates.h"
#include "device/device_ops.h"
#include "device/gpu_nodes.h"
#include "device/libcuda.h"
#include "device/nvml.h"

#include "core/buf.h"
#include "core/dtype.h"
#include "core/file.h"
#include "runner/protocol.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 256
#define BLOCKS_PER_SM 16
#define FLUSH_L2_SIZES 2 /* the flush buffer, in sizes of the last-level cache */
#define HEALTH_BYTES 4096
#define FLUSH_BYTES_MIN ((uint64_t)64 << 20)
#define CALIBRATION_BYTES_MIN ((uint64_t)256 << 20)
#define CALIBRATION_BYTES_MAX ((uint64_t)1 << 30)

/* How long a hold waits for the host, which has next to nothing to do meanwhile: to queue
 * some work, to hear that another card has come as far. */
#define HOLD_PATIENCE_NS 20000000u
#define HOLD_LATE_NS UINT64_C(30000000000)

/* kernels.cu as PTX, NUL-terminated (mk/programs.mk). */
extern const char _binary_device_kernels_start[];

/* Between the kernel that holds the card and us: numbers of holds. */
struct hold_words {
    int32_t begun, let_go;
};

struct cuda {
    struct device base; /* must be first */
    const struct libcuda *cu;
    cu_device device;
    cu_context context;
    cu_module module;
    cu_stream stream;
    cu_function fill, poison, compare, flush, hold;
    struct hold_words *words; /* mapped */
    cu_pointer words_address;
    int32_t holds;           /* so far */
    bool queues;             /* from cuda_queue to cuda_hold: nothing is waited for */
    cu_pointer result;       /* one struct compare_result */
    cu_pointer flush_buffer; /* 0 until the first flush */
    uint64_t flush_bytes, l2_bytes;
    unsigned grid_max;
    size_t granularity;
    bool can_persist; /* lines of the L2 can be set aside, and so must be reset */
    bool can_forbid;  /* how many can be limited: not under MPS, nor on parts of a card */
    struct cu_allocation prop;
    char id[64];   /* the card's UUID */
    char *visible; /* environment of a runner */
    struct gpu_nodes nodes;
    struct nvml *nvml; /* NULL until it is asked something, and where there is none */
};

struct cuda_buffer {
    struct device_buffer base; /* must be first */
    cu_pointer address;
    uint64_t mapped;  /* bytes allocated */
    cu_handle handle; /* shareable only */
};

static struct cuda *
of(struct device *d)
{
    return (struct cuda *)d;
}

static struct cuda_buffer *
buffer_of(struct device_buffer *b)
{
    return (struct cuda_buffer *)b;
}

static cu_pointer
address_of(const struct device_buffer *b)
{
    return ((const struct cuda_buffer *)b)->address;
}

static int
check(struct cuda *c, cu_result rc, const char *what, struct report *r)
{
    return libcuda_check(c->cu, rc, what, r);
}

static int
wait_stream(struct cuda *c, const char *what, struct report *r)
{
    return check(c, c->cu->stream_wait(c->stream), what, r);
}

/* The end of a function whose work may stay queued. */
static int
finish(struct cuda *c, const char *what, struct report *r)
{
    return c->queues ? 0 : wait_stream(c, what, r);
}

static uint64_t
round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

/* A thread has one current context. */
static int
cuda_use(struct device *d, struct report *r)
{
    struct cuda *c = of(d);

    return check(c, c->cu->context_use(c->context), "cuCtxSetCurrent", r);
}

/* --- memory ---------------------------------------------------------------- */

static int
map_shareable(struct cuda *c, struct cuda_buffer *b, struct report *r)
{
    const struct cu_access access = {.location = c->prop.location,
                                     .flags = CU_ACCESS_READ_WRITE};

    b->mapped = round_up(b->base.bytes, c->granularity);
    if (check(c, c->cu->create(&b->handle, b->mapped, &c->prop, 0), "cuMemCreate", r) !=
        0)
        return -1;
    if (check(c, c->cu->reserve(&b->address, b->mapped, 0, 0, 0), "cuMemAddressReserve",
              r) != 0)
        goto release;
    if (check(c, c->cu->map(b->address, b->mapped, 0, b->handle, 0), "cuMemMap", r) != 0)
        goto unreserve;
    if (check(c, c->cu->set_access(b->address, b->mapped, &access, 1), "cuMemSetAccess",
              r) != 0)
        goto unmap;
    return 0;
unmap:
    c->cu->unmap(b->address, b->mapped);
unreserve:
    c->cu->unreserve(b->address, b->mapped);
release:
    c->cu->release(b->handle);
    return -1;
}

static int
cuda_alloc(struct device *d, uint64_t bytes, bool shareable, struct device_buffer **out,
           struct report *r)
{
    struct cuda *c = of(d);
    struct cuda_buffer *b;
    int rc;

    if (bytes == 0 || bytes > d->info.memory_bytes)
        return report_fail(r, "a buffer of %ju bytes does not fit into %s",
                           (uintmax_t)bytes, d->info.name);
    b = xcalloc(1, sizeof *b);
    b->base.bytes = bytes;
    b->base.shareable = shareable;
    if (shareable) {
        rc = map_shareable(c, b, r);
    } else {
        b->mapped = round_up(bytes, 256);
        rc = check(c, c->cu->alloc(&b->address, b->mapped), "cuMemAlloc", r);
    }
    if (rc != 0) {
        free(b);
        return -1;
    }
    *out = &b->base;
    return 0;
}

static void
cuda_free(struct device *d, struct device_buffer *base)
{
    struct cuda *c = of(d);
    struct cuda_buffer *b = buffer_of(base);

    if (base->shareable) {
        c->cu->unmap(b->address, b->mapped);
        c->cu->unreserve(b->address, b->mapped);
        c->cu->release(b->handle);
    } else {
        c->cu->free(b->address);
    }
    free(b);
}

static int
cuda_share(struct device *d, struct device_buffer *base, struct device_share *out,
           struct report *r)
{
    struct cuda *c = of(d);
    struct cuda_buffer *b = buffer_of(base);
    int fd = -1;

    if (check(c, c->cu->export_handle(&fd, b->handle, CU_HANDLE_POSIX_FD, 0),
              "cuMemExportToShareableHandle", r) != 0)
        return -1;
    *out = (struct device_share){.fd = fd, .bytes = b->mapped};
    return 0;
}

/* --- kernels --------------------------------------------------------------- */

/* items: independent pieces of work; the kernels' loops take any grid. */
static int
launch(struct cuda *c, cu_function f, const char *name, uint64_t items, void **params,
       struct report *r)
{
    uint64_t blocks = (items + THREADS - 1) / THREADS;
    unsigned grid = blocks < c->grid_max ? (unsigned)blocks : c->grid_max;

    if (grid == 0)
        return 0;
    if (check(c, c->cu->launch(f, grid, 1, 1, THREADS, 1, 1, 0, c->stream, params, NULL),
              name, r) != 0)
        return -1;
    return finish(c, name, r);
}

static int
cuda_fill(struct device *d, struct device_buffer *b, const struct gen *g, uint64_t seed,
          uint64_t count, struct report *r)
{
    struct cuda *c = of(d);
    struct gen gen = *g;
    cu_pointer address = address_of(b);
    void *params[] = {&gen, &seed, &count, &address};

    if (count > b->bytes / dtype_size((enum dtype)g->dtype))
        return report_fail(r, "%ju elements do not fit into a buffer of %ju bytes",
                           (uintmax_t)count, (uintmax_t)b->bytes);
    return launch(c, c->fill, "the fill kernel", (count + 3) / 4, params, r);
}

static int
cuda_poison(struct device *d, struct device_buffer *b, uint64_t seed, struct report *r)
{
    struct cuda *c = of(d);
    cu_pointer address = address_of(b);
    uint64_t blocks = buffer_of(b)->mapped / 16; /* mapped is a multiple of 256 */
    void *params[] = {&seed, &blocks, &address};

    return launch(c, c->poison, "the poison kernel", blocks, params, r);
}

static int
cuda_compare(struct device *d, const struct device_buffer *got,
             const struct device_buffer *want, uint64_t count,
             const struct compare_rule *rule, struct compare_result *out,
             struct report *r)
{
    struct cuda *c = of(d);
    struct compare_rule copy = *rule;
    struct compare_result result = {.first = UINT64_MAX};
    cu_pointer got_address = address_of(got), want_address = address_of(want);
    void *params[] = {&copy, &got_address, &want_address, &count, &c->result};
    const uint64_t size = dtype_size((enum dtype)rule->dtype);

    if (count > got->bytes / size || count > want->bytes / size)
        return report_fail(r, "%ju elements are not in the buffers compared",
                           (uintmax_t)count);
    if (check(c, c->cu->copy_in(c->result, &result, sizeof result, c->stream),
              "cuMemcpyHtoDAsync", r) != 0 ||
        launch(c, c->compare, "the compare kernel", count, params, r) != 0 ||
        check(c, c->cu->copy_out(&result, c->result, sizeof result, c->stream),
              "cuMemcpyDtoHAsync", r) != 0 ||
        wait_stream(c, "cuMemcpyDtoHAsync", r) != 0)
        return -1;
    *out = result;
    return 0;
}

/* What an earlier call of the submission's wanted to stay in the cache is not to survive
 * the flush, and the whole cache is there to be flushed. */
static int
forbid_persisting(struct cuda *c, struct report *r)
{
    if (!c->can_persist)
        return 0;
    if (c->can_forbid && check(c, c->cu->set_limit(CU_LIMIT_PERSISTING_L2_BYTES, 0),
                               "cuCtxSetLimit", r) != 0)
        return -1;
    return check(c, c->cu->reset_persisting(), "cuCtxResetPersistingL2Cache", r);
}

/* What a flush needs that the card does not do in its turn. */
static int
prepare_flush(struct cuda *c, struct report *r)
{
    cu_pointer address;

    if (c->flush_buffer == 0) {
        if (check(c, c->cu->alloc(&address, c->flush_bytes), "cuMemAlloc", r) != 0) {
            c->base.refused_bytes = c->flush_bytes;
            return -1;
        }
        c->flush_buffer = address;
    }
    return forbid_persisting(c, r);
}

static int
cuda_flush(struct device *d, struct report *r)
{
    struct cuda *c = of(d);
    uint64_t words = c->flush_bytes / 16;
    void *params[] = {&words, &c->flush_buffer};

    if (!c->queues && prepare_flush(c, r) != 0)
        return -1;
    return launch(c, c->flush, "the flush kernel", words, params, r);
}

/* Two transfers a clock on each line of the bus. 0 where the driver does not say. */
static double
peak_bytes_per_ns(const struct cuda *c)
{
    int khz = 0, bits = 0;

    if (c->cu->device_attribute(&khz, CU_ATTRIBUTE_MEMORY_KHZ, c->device) != CU_OK ||
        c->cu->device_attribute(&bits, CU_ATTRIBUTE_MEMORY_BITS, c->device) != CU_OK)
        return 0;
    return 2.0 * khz * 1e3 * bits / 8 / 1e9;
}

/* Many times the cache, and so long that the start of a kernel does not matter, but a
 * small part of the memory. */
static uint64_t
calibration_bytes(const struct cuda *c)
{
    const uint64_t part = c->base.info.memory_bytes / 64 / 4096 * 4096;

    if (part < CALIBRATION_BYTES_MIN)
        return CALIBRATION_BYTES_MIN;
    return part < CALIBRATION_BYTES_MAX ? part : CALIBRATION_BYTES_MAX;
}

/* The cache may keep outputs of its own size. */
static int
cuda_rates(struct device *d, struct device_rates *out, struct report *r)
{
    struct cuda *c = of(d);
    const struct cuda_rates_context context = {.cu = c->cu,
                                               .device = c->device,
                                               .module = c->module,
                                               .stream = c->stream,
                                               .multiprocessors =
                                                   c->grid_max / BLOCKS_PER_SM,
                                               .buffer_bytes = calibration_bytes(c)};
    int major = 0, minor = 0;

    *out = (struct device_rates){.cached_bytes = (double)c->l2_bytes,
                                 .peak_bytes_per_ns = peak_bytes_per_ns(c)};
    if (check(c, c->cu->device_attribute(&major, CU_ATTRIBUTE_MAJOR, c->device),
              "cuDeviceGetAttribute", r) != 0 ||
        check(c, c->cu->device_attribute(&minor, CU_ATTRIBUTE_MINOR, c->device),
              "cuDeviceGetAttribute", r) != 0 ||
        cuda_rates_measure(&context, out, r) != 0)
        return -1;
    out->units = unit_rates_of(major, minor);
    return 1;
}

/* --- copies ---------------------------------------------------------------- */

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
cuda_zero(struct device *d, struct device_buffer *b, struct report *r)
{
    struct cuda *c = of(d);

    if (check(c, c->cu->set8(address_of(b), 0, b->bytes, c->stream), "cuMemsetD8Async",
              r) != 0)
        return -1;
    return finish(c, "cuMemsetD8Async", r);
}

static int
cuda_copy_queue(struct device *d, struct device_buffer *to,
                const struct device_buffer *from, struct report *r)
{
    struct cuda *c = of(d);

    return check(c, c->cu->copy(address_of(to), address_of(from), to->bytes, c->stream),
                 "cuMemcpyDtoDAsync", r);
}

static int
cuda_wait(struct device *d, struct report *r)
{
    return wait_stream(of(d), "cuMemcpyDtoDAsync", r);
}

static int
cuda_copy(struct device *d, struct device_buffer *to, const struct device_buffer *from,
          struct report *r)
{
    return cuda_copy_queue(d, to, from, r) == 0 ? finish(of(d), "cuMemcpyDtoDAsync", r)
                                                : -1;
}

static int
cuda_read(struct device *d, const struct device_buffer *b, uint64_t offset,
          uint64_t bytes, void *host, struct report *r)
{
    struct cuda *c = of(d);

    if (check_range(b, offset, bytes, r) != 0 ||
        check(c, c->cu->copy_out(host, address_of(b) + offset, bytes, c->stream),
              "cuMemcpyDtoHAsync", r) != 0)
        return -1;
    return wait_stream(c, "cuMemcpyDtoHAsync", r);
}

static int
cuda_write(struct device *d, struct device_buffer *b, uint64_t offset, uint64_t bytes,
           const void *host, struct report *r)
{
    struct cuda *c = of(d);

    if (check_range(b, offset, bytes, r) != 0 ||
        check(c, c->cu->copy_in(address_of(b) + offset, host, bytes, c->stream),
              "cuMemcpyHtoDAsync", r) != 0)
        return -1;
    return wait_stream(c, "cuMemcpyHtoDAsync", r);
}

static int
cuda_runner(struct device *d, struct device_runner *out, struct report *r)
{
    struct cuda *c = of(d);

    (void)r;
    *out = (struct device_runner){
        .gpu_socket = -1, .env = {c->visible}, .gpu = (const char *const *)c->nodes.path};
    return 0;
}

/* --- holding the card ------------------------------------------------------ */

static int
launch_hold(struct cuda *c, double ns, struct report *r)
{
    uint64_t patience_ns = HOLD_PATIENCE_NS, whole_ns = (uint64_t)ns;
    int32_t number = ++c->holds;
    cu_pointer begun = c->words_address + offsetof(struct hold_words, begun);
    cu_pointer let_go = c->words_address + offsetof(struct hold_words, let_go);
    void *params[] = {&patience_ns, &whole_ns, &number, &begun, &let_go};

    return check(c, c->cu->launch(c->hold, 1, 1, 1, 1, 1, 1, 0, c->stream, params, NULL),
                 "the kernel that holds the card", r);
}

static void
let_go(struct cuda *c, int32_t number)
{
    __atomic_store_n(&c->words->let_go, number, __ATOMIC_RELEASE);
}

/* A hold before all the work as well, so that the first of it is not over before the
 * second has come: a card that has nothing to do for a moment turns to others. */
static int
cuda_queue(struct device *d, struct report *r)
{
    struct cuda *c = of(d);

    if (prepare_flush(c, r) != 0 || launch_hold(c, 0, r) != 0)
        return -1;
    c->queues = true;
    return 0;
}

static int
cuda_hold(struct device *d, double ns, struct report *r)
{
    struct cuda *c = of(d);
    const int rc = launch_hold(c, ns, r);

    c->queues = false;
    let_go(c, c->holds - 1);
    return rc;
}

static int
cuda_await_hold(struct device *d, struct report *r)
{
    struct cuda *c = of(d);
    const uint64_t until_ns = now_ns() + HOLD_LATE_NS;

    while (__atomic_load_n(&c->words->begun, __ATOMIC_ACQUIRE) != c->holds)
        if (now_ns() > until_ns)
            return wait_stream(c, "what goes before a timed call", r) != 0
                       ? -1
                       : report_fail(r, "the kernel that holds the card did not begin");
    return 0;
}

static int
cuda_let_go(struct device *d, struct report *r)
{
    struct cuda *c = of(d);

    (void)r;
    let_go(c, c->holds);
    return 0;
}

/* --- health ---------------------------------------------------------------- */

/* A kernel's work, read back and compared with the same work of the host's. */
static int
check_work(struct device *d, struct device_buffer *b, struct report *r)
{
    unsigned char want[HEALTH_BYTES], got[HEALTH_BYTES];
    uint64_t seed;

    random_bytes(&seed, sizeof seed);
    gen_poison(seed, sizeof want, want);
    if (cuda_poison(d, b, seed, r) != 0 || cuda_read(d, b, 0, sizeof got, got, r) != 0)
        return -1;
    if (memcmp(got, want, sizeof got) != 0)
        return report_fail(r, "a kernel of %zu bytes' work came out wrong", sizeof got);
    return 0;
}

static int
cuda_health(struct device *d, struct device_health *out, struct report *r)
{
    struct cuda *c = of(d);
    struct device_buffer *b = NULL;
    size_t available = 0, total = 0;
    int rc = cuda_alloc(d, HEALTH_BYTES, false, &b, r);

    if (b != NULL) {
        rc = check_work(d, b, r);
        cuda_free(d, b);
    }
    if (rc == 0)
        rc = check(c, c->cu->memory_free(&available, &total), "cuMemGetInfo", r);
    if (rc != 0) {
        report_prefix(r, "%s fails a test of its health", d->info.name);
        return -1;
    }
    out->free_bytes = available;
    return 0;
}

static double
cuda_bus_bytes(struct device *d)
{
    struct cuda *c = of(d);

    if (c->nvml == NULL)
        c->nvml = nvml_open(c->id);
    return c->nvml != NULL ? nvml_bus_bytes(c->nvml) : -1;
}

/* --- opening --------------------------------------------------------------- */

static void
read_driver_version(const struct libcuda *cu, char out[32])
{
    FILE *f = fopen("/sys/module/nvidia/version", "re");
    int version = 0;

    if (f != NULL) {
        if (fgets(out, 32, f) == NULL)
            out[0] = '\0';
        fclose(f);
        out[strcspn(out, "\n")] = '\0';
        if (out[0] != '\0')
            return;
    }
    if (cu->driver_version(&version) == CU_OK)
        snprintf(out, 32, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

static int
describe(const struct libcuda *cu, int ordinal, struct device_info *out, struct report *r)
{
    cu_device device;
    char name[100] = "";
    size_t bytes = 0;
    int major = 0, minor = 0;

    if (libcuda_check(cu, cu->device_get(&device, ordinal), "cuDeviceGet", r) != 0 ||
        libcuda_check(cu, cu->device_name(name, sizeof name, device), "cuDeviceGetName",
                      r) != 0 ||
        libcuda_check(cu, cu->device_memory(&bytes, device), "cuDeviceTotalMem", r) !=
            0 ||
        libcuda_check(cu, cu->device_attribute(&major, CU_ATTRIBUTE_MAJOR, device),
                      "cuDeviceGetAttribute", r) != 0 ||
        libcuda_check(cu, cu->device_attribute(&minor, CU_ATTRIBUTE_MINOR, device),
                      "cuDeviceGetAttribute", r) != 0)
        return -1;
    *out = (struct device_info){0};
    snprintf(out->board, sizeof out->board, "%s", name);
    snprintf(out->name, sizeof out->name, "%s (cuda:%d)", name, ordinal);
    /* The architecture-specific variant (CUDA programming guide, feature sets) is there
     * from compute capability 9.0 on. */
    snprintf(out->arch, sizeof out->arch, "sm_%d%d%s", major, minor,
             major >= 9 ? "a" : "");
    out->memory_bytes = bytes;
    out->runner_memory = RUNNER_MEMORY_CUDA;
    read_driver_version(cu, out->driver);
    return 0;
}

int
cuda_list(struct device_info *out, int max)
{
    struct report ignored = {
        0}; /* no driver, or a card that does not answer: not listed */
    const struct libcuda *cu = libcuda_get(&ignored);
    int count = 0, n = 0;

    if (cu == NULL || cu->device_count(&count) != CU_OK)
        return 0;
    while (n < count && n < max && describe(cu, n, &out[n], &ignored) == 0)
        n++;
    return n;
}

/* The runner shall see this card only, as its ordinal 0, and the partner as 1: it has no
 * other's node, and the cards' names and not their numbers among the nodes that we see. A
 * part of a card (MIG) has a name of its own, which only who gave it to us knows. */
static int
confine_runner(struct cuda *c, struct report *r)
{
    const char *said = getenv("CUDA_VISIBLE_DEVICES");
    const struct cuda *partner = c->base.partner != NULL ? of(c->base.partner) : NULL;
    const char *ids[] = {c->id, partner != NULL ? partner->id : NULL, NULL};

    if (said != NULL && strncmp(said, "MIG-", 4) == 0)
        return report_fail(r,
                           "CUDA_VISIBLE_DEVICES names a part of a card (%.40s), which "
                           "the judge cannot give to a submission: name whole cards",
                           said);
    c->visible = xasprintf("CUDA_VISIBLE_DEVICES=%s%s%s", c->id,
                           partner != NULL ? "," : "", partner != NULL ? ids[1] : "");
    if (gpu_nodes_find("", ids, &c->nodes) < 0)
        fprintf(stderr,
                "%s: the driver does not tell its device node; submissions see "
                "those of all cards\n",
                c->base.info.name);
    return 0;
}

static int
load_kernels(struct cuda *c, struct report *r)
{
    const struct {
        cu_function *out;
        const char *name;
    } kernels[] = {
        {&c->fill, "warpjudge_fill"},       {&c->poison, "warpjudge_poison"},
        {&c->compare, "warpjudge_compare"}, {&c->flush, "warpjudge_flush"},
        {&c->hold, "warpjudge_hold"},
    };

    if (check(c, c->cu->module_load(&c->module, _binary_device_kernels_start),
              "the judge's kernels", r) != 0)
        return -1;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (check(c, c->cu->module_function(kernels[i].out, c->module, kernels[i].name),
                  kernels[i].name, r) != 0)
            return -1;
    }
    return 0;
}

static int
read_attributes(struct cuda *c, struct report *r)
{
    int handles = 0, l2 = 0, persisting = 0, sms = 0;

    if (check(c, c->cu->device_attribute(&handles, CU_ATTRIBUTE_POSIX_HANDLES, c->device),
              "cuDeviceGetAttribute", r) != 0 ||
        check(c, c->cu->device_attribute(&l2, CU_ATTRIBUTE_L2_BYTES, c->device),
              "cuDeviceGetAttribute", r) != 0 ||
        check(c,
              c->cu->device_attribute(&persisting, CU_ATTRIBUTE_PERSISTING_L2_BYTES,
                                      c->device),
              "cuDeviceGetAttribute", r) != 0 ||
        check(c, c->cu->device_attribute(&sms, CU_ATTRIBUTE_MULTIPROCESSORS, c->device),
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
    return check(
        c, c->cu->granularity(&c->granularity, &c->prop, CU_GRANULARITY_RECOMMENDED),
        "cuMemGetAllocationGranularity", r);
}

/* Undoes what has been done; also for a half-opened device. */
static void
cuda_close(struct device *d)
{
    struct cuda *c = of(d);

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
    if (c->stream != NULL)
        c->cu->stream_destroy(c->stream);
    if (c->context != NULL)
        c->cu->context_release(c->device);
    free(c->visible);
    gpu_nodes_free(&c->nodes);
    nvml_close(c->nvml);
    free(c);
}

static int
alloc_words(struct cuda *c, struct report *r)
{
    void *words;

    if (check(c, c->cu->host_alloc(&words, sizeof *c->words, CU_HOST_MAPPED),
              "cuMemHostAlloc", r) != 0)
        return -1;
    c->words = words;
    *c->words = (struct hold_words){0};
    return check(c, c->cu->host_address(&c->words_address, words, 0),
                 "cuMemHostGetDevicePointer", r);
}

static int
start(struct cuda *c, int ordinal, struct report *r)
{
    int count = 0;
    cu_context context;

    if (check(c, c->cu->device_count(&count), "cuDeviceGetCount", r) != 0)
        return -1;
    if (ordinal >= count)
        return report_fail(r, "there is no GPU cuda:%d: this machine has %d", ordinal,
                           count);
    if (describe(c->cu, ordinal, &c->base.info, r) != 0 ||
        check(c, c->cu->device_get(&c->device, ordinal), "cuDeviceGet", r) != 0 ||
        libcuda_card_id(c->cu, c->device, c->id, r) != 0 || read_attributes(c, r) != 0)
        return -1;
    /* Spinning: a wait that sleeps would add its wake-up to the timed interval. */
    if (check(c, c->cu->context_flags(c->device, CU_SCHEDULE_SPIN),
              "cuDevicePrimaryCtxSetFlags", r) != 0 ||
        check(c, c->cu->context_retain(&context, c->device), "cuDevicePrimaryCtxRetain",
              r) != 0)
        return -1;
    c->context = context;
    if (check(c, c->cu->context_use(context), "cuCtxSetCurrent", r) != 0 ||
        check(c, c->cu->stream_create(&c->stream, CU_STREAM_NO_DEFAULT_SYNC),
              "cuStreamCreate", r) != 0 ||
        load_kernels(c, r) != 0 || alloc_words(c, r) != 0)
        return -1;
    c->can_forbid =
        c->can_persist && c->cu->set_limit(CU_LIMIT_PERSISTING_L2_BYTES, 0) == CU_OK;
    return check(c, c->cu->alloc(&c->result, sizeof(struct compare_result)), "cuMemAlloc",
                 r);
}

static struct cuda *
open_card(int ordinal, struct report *r)
{
    static const struct device_ops ops = {
        .close = cuda_close,
        .use = cuda_use,
        .alloc = cuda_alloc,
        .free = cuda_free,
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
        .health = cuda_health,
        .bus_bytes = cuda_bus_bytes,
    };
    const struct libcuda *cu = libcuda_get(r);
    struct cuda *c;

    if (cu == NULL)
        return NULL;
    c = xcalloc(1, sizeof *c);
    c->base.ops = &ops;
    c->cu = cu;
    if (start(c, ordinal, r) != 0) {
        report_prefix(r, "cuda:%d", ordinal);
        cuda_close(&c->base);
        return NULL;
    }
    return c;
}

struct device *
cuda_open(int ordinal, int partner, struct report *r)
{
    struct cuda *c = open_card(ordinal, r), *other = NULL;

    if (c == NULL)
        return NULL;
    if (partner >= 0)
        other = open_card(partner, r);
    c->base.partner = other != NULL ? &other->base : NULL;
    if ((partner < 0 || other != NULL) && confine_runner(c, r) == 0)
        return &c->base;
    report_prefix(r, "cuda:%d", ordinal);
    device_close(&c->base);
    return NULL;
}

/*
 * The kind "emu": an emulated GPU.
 *
 * The GPU is a process of its own, warpjudge-gpu. It is started here in a sandbox,
 * because it parses what strangers send, and it is owned over its control socket. A
 * shareable buffer is a memfd that it maps as device memory and that we map too. So
 * filling and comparing is plain C on the host.
 *
 * A buffer is imported with its exact size, so an access one element past its end is a
 * fault. A shareable buffer is imported while a runner needs it, and released when it
 * is freed. So a submission finds only the buffers of its call in the GPU. Private
 * buffers never go there.
 */
#include "device/gpu_process.h"
#include "device/hostmem.h"
#include "device/watchdog.h"

#include "base/buf.h"
#include "emulator/emulator.h"
#include "emulator/gpu/gpu.h"
#include "runner/protocol.h"
#include "sandbox/usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How much CPU time of the emulated GPU a request may take. It takes so long only behind
 * launches that nobody should make then. The time that a busy machine lets it wait is not
 * counted. */
#define WATCHDOG_MS 1000

struct emu {
    struct device base; /* must be first */
    struct hostmem_pool pool;
    struct gpu_process process;
    int control; /* our end of its socket; -1 once gpu owns it */
    struct gpu_options options;
    struct gpu *gpu;           /* NULL until connect_gpu() */
    struct usage usage;        /* usage of the process, for the watchdog */
    struct watchdog *watchdog; /* NULL until connect_gpu() */
    bool given_up; /* we killed the process, because a launch kept it from answering */
    bool starved;  /* the process had no memory left for a request, or died of that */
    uint32_t client;
    bool has_client;
};

static struct emu *
emu_of(struct device *d)
{
    return (struct emu *)d;
}

static struct hostmem_buffer *
emu_buffer_of(struct device_buffer *b)
{
    return (struct hostmem_buffer *)b;
}

/* Reports that the process is gone. Its last words may be many lines and are not for
 * users, so they go to the judge's log. */
static int
emu_lost(struct emu *e, struct report *r, const char *what)
{
    struct buf said = {0};

    gpu_process_end(&e->process, &said);
    e->starved = e->starved || e->process.out_of_memory;
    if (said.len > 0)
        fprintf(stderr, "the emulated GPU's last words: %s\n", buf_str(&said));
    buf_free(&said);
    if (e->starved)
        return report_fail(r,
                           "the emulated GPU has no memory left (while the judge asked "
                           "it to %s)",
                           what);
    return report_fail(r, "the emulated GPU has died (while the judge asked it to %s)",
                       what);
}

/* Says why the process did not answer, in its own last words if it has any. */
static int
explain_silence(struct emu *e, struct report *r)
{
    struct buf said = {0};

    gpu_process_end(&e->process, &said);
    report_fail(r, "the emulated GPU did not start%s%s", said.len > 0 ? ": " : "",
                buf_str(&said));
    buf_free(&said);
    return -1;
}

/* Begins one request, which the watchdog limits: end_request(e, gpu_xyz(begin_request(e),
 * ...)). */
static struct gpu *
begin_request(struct emu *e)
{
    watchdog_begin(e->watchdog);
    return e->gpu;
}

static int
end_request(struct emu *e, int result)
{
    e->given_up = watchdog_end(e->watchdog);
    e->starved = e->starved || result == GPU_NO_MEMORY;
    return result;
}

/* The fault of a client whose emulated GPU has ended, or cannot go on. Returns false if
 * that was not the client's doing. */
static bool
emu_end_fault(const struct emu *e, struct fault *out)
{
    if (e->given_up) {
        *out = (struct fault){.kind = FAULT_INTERRUPTED};
        snprintf(out->text, sizeof out->text,
                 "the device was kept busy by launches that could not be stopped");
    } else if (e->starved) {
        *out = (struct fault){.kind = FAULT_PROCESS_MEMORY};
        snprintf(out->text, sizeof out->text,
                 "the emulated GPU used up the %.3g GiB of this machine's memory that it "
                 "may have: for device memory, the records of what was written and by "
                 "whom, and loaded PTX",
                 (double)gpu_process_memory() / (double)((uint64_t)1 << 30));
    }
    return e->given_up || e->starved;
}

static void
interrupt_launch(void *device)
{
    struct emu *e = device;

    (void)gpu_interrupt(e->gpu); /* if the GPU is dead, the request that waits ends too */
}

static void
kill_gpu(void *device)
{
    struct emu *e = device;

    sandbox_kill(&e->process.sandbox);
}

static uint64_t
gpu_cpu_ns(void *device)
{
    struct emu *e = device;

    return usage_cpu_ns(&e->usage, 0);
}

/* Waits for the process only at its first use, so that it starts while we do other
 * things. */
static int
connect_gpu(struct emu *e, struct report *r)
{
    static const struct watchdog_acts acts = {interrupt_launch, kill_gpu, gpu_cpu_ns};
    int control = e->control;

    if (e->gpu != NULL)
        return 0;
    if (control < 0)
        return emu_lost(e, r, "start");
    e->control = -1;
    e->gpu = gpu_connect(control, &e->options);
    if (e->gpu == NULL)
        return explain_silence(e, r);
    e->usage.process[0] = &e->process.sandbox;
    (void)gpu_cpu_ns(e); /* finds the process before there is a second thread */
    e->watchdog = watchdog_new(WATCHDOG_MS, &acts, e, r);
    return e->watchdog != NULL ? 0 : -1;
}

/* --- buffers --------------------------------------------------------------- */

static int
emu_alloc(struct device *d, uint64_t bytes, bool shareable, struct device_buffer **out,
          struct report *r)
{
    return hostmem_alloc(&emu_of(d)->pool, bytes, shareable, out, r);
}

static void
emu_free(struct device *d, struct device_buffer *base)
{
    struct hostmem_buffer *b = emu_buffer_of(base);

    /* A dead GPU has forgotten its imports anyway, and the next call that matters
     * reports it. */
    if (b->address != 0)
        (void)end_request(emu_of(d), gpu_release(begin_request(emu_of(d)), b->address));
    hostmem_free(&emu_of(d)->pool, base);
}

/* Tells the GPU, after we changed a buffer, whether its bytes count as written. */
static int
set_initialized(struct device *d, struct device_buffer *base, bool initialized,
                struct report *r)
{
    struct hostmem_buffer *b = emu_buffer_of(base);
    struct emu *e = emu_of(d);

    b->initialized = initialized;
    if (b->address != 0 && end_request(e, gpu_mark(begin_request(e), b->address,
                                                   base->bytes, initialized)) != 0)
        return emu_lost(e, r, "mark memory");
    return 0;
}

static int
emu_fill(struct device *d, struct device_buffer *b, const struct gen *g, uint64_t seed,
         uint64_t count, struct report *r)
{
    if (hostmem_fill(d, b, g, seed, count, r) != 0)
        return -1;
    return set_initialized(d, b, true, r);
}

static int
emu_poison(struct device *d, struct device_buffer *b, uint64_t seed, struct report *r)
{
    if (hostmem_poison(d, b, seed, r) != 0)
        return -1;
    return set_initialized(d, b, false, r);
}

static int
emu_zero(struct device *d, struct device_buffer *b, struct report *r)
{
    if (hostmem_zero(d, b, r) != 0)
        return -1;
    return set_initialized(d, b, true, r);
}

static int
emu_copy(struct device *d, struct device_buffer *to, const struct device_buffer *from,
         struct report *r)
{
    if (hostmem_copy(d, to, from, r) != 0)
        return -1;
    return to->device == d ? set_initialized(d, to, true, r) : 0;
}

static int
emu_write(struct device *d, struct device_buffer *b, uint64_t offset, uint64_t bytes,
          const void *host, struct report *r)
{
    if (hostmem_write(d, b, offset, bytes, host, r) != 0)
        return -1;
    return set_initialized(d, b, true, r);
}

static int
emu_share(struct device *d, struct device_buffer *base, struct device_share *out,
          struct report *r)
{
    struct hostmem_buffer *b = emu_buffer_of(base);
    struct emu *e = emu_of(d);

    if (connect_gpu(e, r) != 0)
        return -1;
    if (b->address == 0 &&
        end_request(e, gpu_import(begin_request(e), b->block->fd, base->bytes, base->gpu,
                                  b->initialized, &b->address)) != 0)
        return emu_lost(e, r, "map memory");
    if (base->name != NULL &&
        end_request(e, gpu_name(begin_request(e), b->address, base->name,
                                base->element_bytes)) != 0)
        return emu_lost(e, r, "name memory");
    *out = (struct device_share){.fd = -1, .address = b->address, .bytes = base->bytes};
    return 0;
}

/* --- clients --------------------------------------------------------------- */

static int
emu_runner(struct device *d, struct device_runner *out, struct report *r)
{
    struct emu *e = emu_of(d);
    int fd;

    if (connect_gpu(e, r) != 0)
        return -1;
    if (e->has_client) {
        e->has_client = false;
        if (end_request(e, gpu_drop_client(begin_request(e), e->client)) != 0)
            return emu_lost(e, r, "drop a client");
    }
    fd = end_request(e, gpu_new_client(begin_request(e), &e->client));
    if (fd < 0)
        return emu_lost(e, r, "take a client");
    e->has_client = true;
    *out = (struct device_runner){
        .gpu_socket = fd, .gpu_process = &e->process.sandbox, .work = gpu_work(e->gpu)};
    return 0;
}

static int
emu_fault(struct device *d, struct fault *out, struct report *r)
{
    struct emu *e = emu_of(d);
    struct fault f;

    if (!e->has_client)
        return 0;
    if (emu_end_fault(e, out))
        return 1;
    if (end_request(e, gpu_fault(begin_request(e), e->client, &f)) != 0) {
        struct report lost = {0};

        if (!e->given_up)
            (void)emu_lost(e, &lost, "tell a fault");
        if (emu_end_fault(e, out))
            return 1;
        return report_fail(r, "%s", lost.text);
    }
    if (f.kind == FAULT_NONE)
        return 0;
    *out = f;
    return 1;
}

static int
emu_notice(struct device *d, uint32_t index, struct fault *out, struct report *r)
{
    struct emu *e = emu_of(d);
    int rc;

    if (!e->has_client || e->given_up || e->starved)
        return 0;
    rc = end_request(e, gpu_notice(begin_request(e), e->client, index, out));
    if (e->given_up)
        return 0;
    return rc < 0 ? emu_lost(e, r, "tell a notice") : rc;
}

static int
emu_counters(struct device *d, struct counters *out, struct report *r)
{
    struct emu *e = emu_of(d);

    if (!e->has_client)
        return 0;
    if (end_request(e, gpu_counters(begin_request(e), e->client, out)) != 0)
        return emu_lost(e, r, "tell its counters");
    return 1;
}

static int
emu_cost(struct device *d, uint32_t index, uint32_t first_line, struct kernel_cost *out,
         struct report *r)
{
    struct emu *e = emu_of(d);
    int rc;

    if (!e->has_client)
        return 0;
    rc = end_request(e, gpu_cost(begin_request(e), e->client, index, first_line, out));
    return rc < 0 ? emu_lost(e, r, "tell what kernels cost") : rc;
}

static int
emu_costs_reset(struct device *d, struct report *r)
{
    struct emu *e = emu_of(d);

    if (connect_gpu(e, r) != 0)
        return -1;
    return end_request(e, gpu_costs_reset(begin_request(e))) != 0
               ? emu_lost(e, r, "forget costs")
               : 0;
}

static int
emu_modelled_ns(struct device *d, double *ns, struct report *r)
{
    struct counters c;
    int rc = emu_counters(d, &c, r);

    if (rc < 0)
        return -1;
    /* Work of the host counts too, or a submission could move its work there for free. */
    *ns = rc > 0 ? c.modelled_ns + c.host_ns : 0;
    return 0;
}

static int
emu_interrupt(struct device *d, struct report *r)
{
    struct emu *e = emu_of(d);

    if (connect_gpu(e, r) != 0)
        return -1;
    return gpu_interrupt(e->gpu) != 0 ? emu_lost(e, r, "stop a launch") : 0;
}

static int
emu_set_checks(struct device *d, bool checks, struct report *r)
{
    struct emu *e = emu_of(d);

    if (connect_gpu(e, r) != 0)
        return -1;
    return end_request(e, gpu_set_checks(begin_request(e), checks)) != 0
               ? emu_lost(e, r, "set checks")
               : 0;
}

static int
emu_assembly(struct device *d, const char *path, struct report *r)
{
    struct emu *e = emu_of(d);
    int fd, rc;

    if (connect_gpu(e, r) != 0)
        return -1;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return report_errno(r, "%s cannot be read", path);
    rc = end_request(e, gpu_assembly(begin_request(e), fd));
    close(fd);
    return rc != 0 ? emu_lost(e, r, "read what ptxas made") : 0;
}

/* --- the process ----------------------------------------------------------- */

static void
emu_close(struct device *d)
{
    struct emu *e = emu_of(d);

    watchdog_free(e->watchdog); /* freed first, because it may interrupt the GPU */
    gpu_close(e->gpu);
    if (e->control >= 0)
        close(e->control);
    gpu_process_end(&e->process, NULL);
    hostmem_pool_free(&e->pool);
    free(e);
}

/* The rates of the modelled device (exec/cost/model.c). */
static int
emu_rates(struct device *d, bool awake, struct device_rates *out, struct report *r)
{
    const struct device_model *m = device_at(0);

    (void)d;
    (void)awake;
    (void)r;
    *out = (struct device_rates){
        .copy_bytes_per_ns = m->dram_bytes_per_ns,
        .read_bytes_per_ns = m->dram_bytes_per_ns,
        .fp32_per_ns = 2 * m->fp32_lanes * m->sms * m->clock_ghz,
        .units = {.fp32 = 2 * m->fp32_lanes,
                  .fp64 = 4 * m->fp64_lanes, /* tensor cores do twice as many */
                  .int32 = 2 * m->int_lanes, /* IADD3 does two additions */
                  .tensor = m->tensor_flops},
    };
    return 1;
}

/* How much memory the emulated GPU has. It is this machine's memory, of which its process
 * may have a part. A submission needs it twice, for device memory and for the record of
 * written bytes, and a quarter is left for its modules and launches. */
static uint64_t
emu_memory(const struct device_options *o)
{
    const uint64_t most =
        gpu_process_memory() / 8 * 3 / (o->gpus > 1 ? (uint64_t)o->gpus : 1);

    return o->memory_limit < most ? o->memory_limit : most;
}

struct device *
emu_open(const struct device_options *o, struct report *r)
{
    static const struct device_ops ops = {
        .close = emu_close,
        .alloc = emu_alloc,
        .free = emu_free,
        .fill = emu_fill,
        .poison = emu_poison,
        .zero = emu_zero,
        .copy = emu_copy,
        .read = hostmem_read,
        .write = emu_write,
        .compare = hostmem_compare,
        .share = emu_share,
        .runner = emu_runner,
        .fault = emu_fault,
        .notice = emu_notice,
        .counters = emu_counters,
        .cost = emu_cost,
        .costs_reset = emu_costs_reset,
        .interrupt = emu_interrupt,
        .set_checks = emu_set_checks,
        .assembly = emu_assembly,
        .modelled_ns = emu_modelled_ns,
        .rates = emu_rates,
    };
    struct emu *e = xcalloc(1, sizeof *e);

    e->base.ops = &ops;
    e->options = (struct gpu_options){
        .memory_bytes = emu_memory(o),
        .devices = o->gpus,
        .checks = o->checks,
        .instruction_budget = o->instruction_budget,
    };
    e->base.host_memory = true;
    emu_describe(&e->base.info);
    e->base.info.runner_memory = RUNNER_MEMORY_ADDRESS;
    if (gpu_process_start(&e->process, o->gpu_program, o->insecure, gpu_process_memory(),
                          &e->control, r) != 0) {
        free(e);
        return NULL;
    }
    return &e->base;
}

/* The machine as a whole: options, properties, counters, and what kernels print. */
#include "cost/model.h"
#include "order.h"
#include "pool.h"
#include "race/race.h"
#include "texture/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORKERS = 64 };

struct machine *
machine_new(const struct machine_options *options)
{
    struct machine *m = calloc(1, sizeof *m);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    if (m == NULL)
        return NULL;
    m->options = *options;
    m->work = options->work != NULL ? options->work : &m->own_work;
    if (m->options.memory_bytes == 0)
        m->options.memory_bytes = (uint64_t)16 << 30;
    if (m->options.devices < 1)
        m->options.devices = 1;
    if (m->options.devices > MACHINE_DEVICES_MAX)
        m->options.devices = MACHINE_DEVICES_MAX;
    m->thread_count = options->threads > 0 ? options->threads : cpus > 0 ? (int)cpus : 1;
    if (m->thread_count > MAX_WORKERS)
        m->thread_count = MAX_WORKERS;
    m->workers = calloc((size_t)m->thread_count, sizeof *m->workers);
    if (m->workers == NULL) {
        free(m);
        return NULL;
    }
    m->device = device_at(0);
    m->avx2 = !options->generic && __builtin_cpu_supports("avx2") &&
              __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
              __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    memory_init(m, m->options.memory_bytes);
    return m;
}

void
machine_free(struct machine *m)
{
    if (m == NULL)
        return;
    pool_free(m->pool);
    while (m->modules != NULL)
        module_unload(m, m->modules);
    textures_free(m);
    memory_destroy(m);
    race_free(m->race);
    schedule_free(m->schedule);
    for (int i = 0; i < m->thread_count; i++) {
        free(m->workers[i].tallies);
        free(m->workers[i].sites);
        free(m->workers[i].booked);
        free(m->workers[i].ended.list);
        free(m->workers[i].asserted);
        order_free(&m->workers[i]);
    }
    free(m->workers);
    free(m->output);
    free(m->retired);
    free(m);
}

void
machine_select(struct machine *m, int device)
{
    m->current = device;
}

int
machine_devices(const struct machine *m)
{
    return m->options.devices;
}

void
machine_set_checks(struct machine *m, bool checks)
{
    m->options.checks = checks;
}

void
machine_counters(const struct machine *m, struct counters *out)
{
    *out = m->counters;
}

void
machine_count_copy(struct machine *m, enum copy_kind kind, uint64_t bytes,
                   uint64_t sector_bytes)
{
    struct counters *c = &m->counters;

    switch (kind) {
    case COPY_H2D:
        c->copy_bytes_h2d += bytes;
        break;
    case COPY_D2H:
        c->copy_bytes_d2h += bytes;
        break;
    case COPY_D2D:
    case COPY_PEER:
        c->copy_bytes_d2d += bytes;
        break;
    case COPY_MEMSET:
        c->memset_bytes += bytes;
        break;
    }
    c->copies++;
    clock_spend(m, model_copy_ns(m->device, kind, bytes, sector_bytes),
                kind == COPY_PEER);
    if (kind == COPY_D2H)
        c->host_ns += model_host_ns(m->device, bytes);
}

void
machine_count_load(struct machine *m, uint64_t bytes)
{
    clock_spend(m, model_copy_ns(m->device, COPY_H2D, bytes, 0), false);
}

char *
machine_take_output(struct machine *m, size_t *len)
{
    char *text = m->output;

    *len = m->output_len;
    m->counters.host_ns += model_host_ns(m->device, *len);
    m->output = NULL;
    m->output_len = m->output_max = 0;
    return text;
}

const char *
machine_asserted(const struct machine *m, size_t *len)
{
    *len = m->asserted_bytes;
    return m->asserted;
}

/* What a program may ask about the emulated GPU. The compute capability is 8.0, because
 * submissions are compiled for it. Sizes are those of the modelled device, so that a
 * kernel tuned for it fits. */
void
machine_properties(const struct machine *m, struct machine_properties *out)
{
    *out = (struct machine_properties){
        .major = 8,
        .minor = 0,
        .multiprocessors = (int)m->device->sms,
        .max_threads_per_block = 1024,
        .max_threads_per_sm = (int)m->device->warps_per_sm * LANES,
        .warp_size = LANES,
        .memory_bytes = m->memory.limit,
        .shared_per_block = 48 << 10,
        .shared_per_block_optin = 227 << 10,
        .shared_per_sm = 228 << 10,
        .l2_bytes = (uint64_t)m->device->l2_bytes,
        .clock_khz = (int)(m->device->clock_ghz * 1e6),
        .memory_clock_khz = 3201000,
        .memory_bus_bits = 6016,
        .devices = m->options.devices,
    };
    snprintf(out->name, sizeof out->name, "warpjudge emulated GPU");
}

#include "arbiter/calling/memory_watch.h"

#include "base/buf.h"

#include <stdlib.h>

#define GIB ((uint64_t)1 << 30)

/* What a submission takes beside its allocations. That is its modules when they are first
 * used, the space of printf and malloc, and allocations rounded up to pages of 2 MiB. It
 * is also the stacks of all threads that a GPU can run: a fifth of a GiB on an H200 for
 * each KiB of a thread's stack. The context, some half a GiB, is given back as well when
 * the process ends, and so hides as much of what others have taken. */
#define SLACK GIB

/* --- pure functions -------------------------------------------------------- */

static uint64_t
free_or_ours(const struct device_memory *m)
{
    return m->free_bytes + m->own_bytes;
}

static uint64_t
bytes_above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

void
memory_watch_begin(struct memory_watch *w,
                   const struct device_memory now[DEVICE_GPUS_MAX])
{
    memory_watch_free(w);
    for (int i = 0; i < DEVICE_GPUS_MAX; i++)
        if (now[i].free_bytes > 0)
            w->had[i] = w->least[i] = free_or_ours(&now[i]);
}

void
memory_watch_see(struct memory_watch *w, const struct device_memory now[DEVICE_GPUS_MAX])
{
    for (int i = 0; i < DEVICE_GPUS_MAX; i++)
        if (free_or_ours(&now[i]) < w->least[i])
            w->least[i] = free_or_ours(&now[i]);
}

bool
memory_is_over(uint64_t bytes, uint64_t limit)
{
    return bytes_above(bytes, limit) > SLACK;
}

void
memory_watch_end_call(struct memory_watch *w, const uint64_t buffers[DEVICE_GPUS_MAX],
                      uint64_t limit, const char *where)
{
    for (int i = 0; i < DEVICE_GPUS_MAX; i++) {
        const uint64_t taken = bytes_above(w->had[i], w->least[i]);
        const uint64_t bytes = taken > 0 ? taken + buffers[i] : 0;

        w->least[i] = w->had[i];
        if (!memory_is_over(bytes, limit) || bytes <= w->over.bytes)
            continue;
        free(w->over.where);
        w->over = (struct memory_use){xstrdup(where), i, bytes, false};
    }
}

uint64_t
memory_watch_certain(const struct memory_watch *w,
                     const struct device_memory now[DEVICE_GPUS_MAX])
{
    const int gpu = w->over.gpu;
    const uint64_t others = bytes_above(w->had[gpu], free_or_ours(&now[gpu]));

    return bytes_above(w->over.bytes, others);
}

/* --- looking --------------------------------------------------------------- */

bool
memory_watch_works(const struct memory_watch *w)
{
    for (int i = 0; i < DEVICE_GPUS_MAX; i++)
        if (w->had[i] > 0)
            return true;
    return false;
}

int
memory_watch_start(struct memory_watch *w, struct device *d, struct report *r)
{
    struct device_memory now[DEVICE_GPUS_MAX];

    if (device_memory(d, now, r) != 0)
        return -1;
    memory_watch_begin(w, now);
    return 0;
}

int
memory_watch_look(struct memory_watch *w, struct device *d, struct report *r)
{
    struct device_memory now[DEVICE_GPUS_MAX];

    if (device_memory(d, now, r) != 0)
        return -1;
    memory_watch_see(w, now);
    return 0;
}

int
memory_watch_call(struct memory_watch *w, const struct call_set *set, const char *where,
                  bool timed, struct report *r)
{
    const uint64_t most = w->over.bytes;
    uint64_t buffers[DEVICE_GPUS_MAX] = {0};

    if (!memory_watch_works(w))
        return 0;
    if (memory_watch_look(w, set->device, r) != 0)
        return -1;
    for (int i = 0; i < set->problem->param_count; i++)
        if (set->buffer[i] != NULL && set->problem->param[i].space != SPACE_HOST_PINNED)
            buffers[set->problem->param[i].gpu] += set->extent[i].bytes;
    memory_watch_end_call(w, buffers, set->problem->memory_limit, where);
    if (w->over.bytes > most)
        w->over.timed = timed;
    return 0;
}

int
memory_watch_between_calls(struct memory_watch *w, struct device *d, uint64_t limit,
                           struct report *r)
{
    static const uint64_t no_buffers[DEVICE_GPUS_MAX] = {0};

    if (!memory_watch_works(w))
        return 0;
    if (memory_watch_look(w, d, r) != 0)
        return -1;
    memory_watch_end_call(w, no_buffers, limit, "between two calls");
    return 0;
}

void
memory_watch_free(struct memory_watch *w)
{
    free(w->over.where);
    *w = (struct memory_watch){0};
}

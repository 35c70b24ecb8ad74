/* GPUs for a driver that stands in for libcuda (cuda_stand_in.h): their memory is the
 * host's. A piece of memory belongs to one GPU. */
#ifndef CUDA_STAND_IN_GPUS_H
#define CUDA_STAND_IN_GPUS_H

#include "device/libcuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define GPUS 2
#define GIB ((uint64_t)1 << 30)
#define GPU_BYTES (4 * GIB)
#define L2_BYTES (50 << 20)
#define GRANULARITY ((size_t)2 << 20)
#define OUT_OF_MEMORY 2
#define INVALID_DEVICE 101
#define PIECES_MAX 64
#define COPIES_NS 1e6 /* between any two events */

struct cu_context_s {
    int references;
};

struct cu_stream_s {
    int gpu;
};

struct cu_module_s {
    int gpu;
};

struct cu_event_s {
    int gpu;
};

struct cu_function_s {
    int gpu;
    const char *name;
};

enum kernel_kind { FILL, POISON, COMPARE, FLUSH, HOLD, OTHER, KERNELS };

static const char *const names[] = {"warpjudge_fill", "warpjudge_poison",
                                    "warpjudge_compare", "warpjudge_flush",
                                    "warpjudge_hold"};

static struct {
    struct cu_context_s context;
    struct cu_stream_s stream;
    struct cu_module_s module;
    struct cu_event_s event;
    struct cu_function_s function[KERNELS];
    uint64_t taken; /* bytes */
    int streams, modules, launches[KERNELS], resets, forbids, waits;
    int hosts;  /* pieces of host memory */
    int opened; /* the last hold that was let go when another was launched */
} gpus[GPUS];

/* What fresh memory holds: of a process's own old memory it need not be zero. */
static int stale_byte;

/* Memory: what cuMemAlloc gives, and what cuMemCreate does. */
static struct piece {
    char *at; /* NULL: not in use; for a handle only once it is mapped */
    size_t bytes;
    int gpu;
    bool handle, mapped, accessible;
} pieces[PIECES_MAX];

static int current = -1;

static int
here(void)
{
    assert_in_range(current, 0, GPUS - 1);
    assert_true(gpus[current].context.references > 0);
    return current;
}

static struct piece *
piece_at(cu_pointer p)
{
    const char *at = (const char *)(uintptr_t)p;

    for (int i = 0; i < PIECES_MAX; i++)
        if (pieces[i].at != NULL && at >= pieces[i].at &&
            at < pieces[i].at + pieces[i].bytes)
            return &pieces[i];
    fail_msg("%p is no memory of a GPU", (const void *)at);
    return NULL;
}

/* The piece must be this GPU's own and wholly there. */
static void *
memory(cu_pointer p, size_t bytes)
{
    const struct piece *m = piece_at(p);
    char *at = (char *)(uintptr_t)p;

    assert_int_equal(m->gpu, here());
    assert_true(at + bytes <= m->at + m->bytes);
    assert_true(!m->handle || m->accessible);
    return at;
}

static struct piece *
new_piece(int gpu, size_t bytes)
{
    for (int i = 0; i < PIECES_MAX; i++) {
        if (pieces[i].bytes != 0)
            continue;
        if (gpus[gpu].taken + bytes > GPU_BYTES)
            return NULL;
        gpus[gpu].taken += bytes;
        pieces[i] = (struct piece){.bytes = bytes, .gpu = gpu};
        return &pieces[i];
    }
    fail_msg("too many pieces of memory");
    return NULL;
}

static void
drop_piece(struct piece *m)
{
    gpus[m->gpu].taken -= m->bytes;
    *m = (struct piece){0};
}

#endif

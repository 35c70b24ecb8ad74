/*
 * The machine: what all launches of one emulated GPU share (machine.c). The files of
 * exec/ are:
 *
 *   exec.h                             what others may call
 *   memory, kernel (module, variables) allocations; PTX units and their kernels
 *   code                               decoded instructions
 *   launch, pool, worker               grids, threads, the blocks that each executes
 *   block, cluster, warp, frame        barriers, divergent paths, calls
 *   fault, warp_fault, source          what people are told, and where it happened
 *   decode/                            PTX -> decoded instructions: operands, order of
 *                                      blocks, registers, critical paths
 *   ops/                               families of instructions, handlers and decoders:
 *                                      on lane vectors (lanes.inc) or a lane at a time
 *                                      (scalar.c), loads and stores, atomics, matrices
 *   texture/                           textures and surfaces
 *   race/                              data races by happens-before
 *   cost/                              counters by kernel and source line, modelled time
 */
#ifndef EMULATOR_MACHINE_H
#define EMULATOR_MACHINE_H

#include "../work.h"
#include "launch.h"

struct pool;
struct race;
struct schedule;
struct texture_table;

struct machine {
    struct machine_options options;
    struct memory memory;
    struct module *modules;
    struct counters counters;
    const struct device_model *device;
    int current; /* the device whose work is done now */
    double clock_ns[MACHINE_DEVICES_MAX], host_clock_ns; /* modelled times: clocks.c */
    atomic_bool interrupted;
    bool avx2;
    int thread_count;
    uint32_t launches;
    uint32_t next_unit;          /* of tags (links.h); 0: none was used */
    uint32_t heap_count;         /* allocations by malloc() in kernels */
    struct kernel_cost *retired; /* kernels of modules that are gone; NULL: none yet */
    uint32_t retired_count;
    uint64_t grid_workspace; /* device address; 0 before the first cooperative launch */
    char *output;            /* of printf */
    size_t output_len, output_max;
    const char *asserted; /* text of an assertion that failed in the last launch, or NULL;
                             a worker owns it */
    size_t asserted_bytes;
    struct pool *pool;
    struct schedule *schedule; /* of the launch that is on, or was last; NULL: none yet */
    struct texture_table *textures; /* NULL: none was ever made */
    struct worker *workers;
    struct race *race;                 /* NULL before the first launch with checks */
    struct work_count *work, own_work; /* the owner's, or own_work where there is none */
};

/* clocks.c: the current device is busy for so long. With `all` the other devices are busy
 * at the same time. */
void clock_spend(struct machine *m, double ns, bool all);

#endif

/*
 * What the kernels of a machine have cost so far, kernel by kernel and source line by
 * source line. All of it is derived from exact counts after each launch, so that it does
 * not depend on the number of worker threads; the times are modelled (model.h).
 */
#ifndef EMULATOR_COSTS_H
#define EMULATOR_COSTS_H

#include "../exec.h"

/* What can bound a launch: X(id, words for "bound by ..."). model.c says what each is. */
/* clang-format off */
#define COST_BOUNDS(X)                                                                   \
    X(LATENCY,  "latency: too few warps to hide it")                                     \
    X(ISSUE,    "the number of instructions")                                            \
    X(FP32,     "single precision arithmetic")                                           \
    X(FP64,     "double precision arithmetic")                                           \
    X(FP16,     "half precision arithmetic")                                             \
    X(INT,      "integer arithmetic")                                                    \
    X(SFU,      "special functions (exp, log, sin, division)")                           \
    X(TENSOR,   "tensor cores")                                                          \
    X(L1,       "accesses to shared memory and L1")                                      \
    X(L2,       "bytes from L2")                                                         \
    X(DRAM,     "bytes from memory")                                                     \
    X(HOST,     "bytes from the host's memory")                                          \
    X(PEER,     "bytes from another GPU's memory")                                       \
    X(ATOMICS,  "the number of atomics")                                                 \
    X(CONTENTION, "atomics on the same addresses")
/* clang-format on */
enum cost_bound {
#define X(id, words) COST_##id,
    COST_BOUNDS(X)
#undef X
        COST_BOUND_COUNT
};

/* Of counters, a line has all but launches, copies and modelled_ns. */
struct line_cost {
    char file[128]; /* without folders; "": code that no line is known of */
    int line;
    double ns; /* its part of the kernel's time, launches' fixed costs apart */
    struct counters counters;
};

enum { COST_LINES = 8 };

/* All launches of one kernel together. */
struct kernel_cost {
    char name[256];             /* demangled */
    uint64_t blocks, warps;     /* of all launches */
    uint32_t threads_per_block; /* of the last one */
    uint32_t registers;         /* a thread, estimated */
    uint32_t blocks_per_sm;     /* that fit at once, by the last one's shape */
    double ns;
    double launch_ns;                  /* of it, the launches' fixed costs */
    double bound_ns[COST_BOUND_COUNT]; /* what each alone would have taken */
    struct counters counters;
    uint32_t line_count, lines_left;   /* told below, and others that cost something */
    struct line_cost line[COST_LINES]; /* the costliest first */
};

/* The kernel that was the index-th in cost; -1: so many have not been launched. Of the
 * kernels whose modules are gone, the 16 costliest are remembered. */
int machine_cost(const struct machine *m, uint32_t index, struct kernel_cost *out);

/* Starts all of it anew; the machine's own counters go on. */
void machine_costs_reset(struct machine *m);

#endif

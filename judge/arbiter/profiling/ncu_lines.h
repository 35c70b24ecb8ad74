/* The source lines of a kernel in Nsight Compute's table of them (ncu_kernels.h). */
#ifndef ARBITER_PROFILING_NCU_LINES_H
#define ARBITER_PROFILING_NCU_LINES_H

#include "arbiter/profiling/csv_table.h"
#include "emulator/emulator.h"

/* What warps wait for: X(ncu's name of the metric, of the column of lines, the words of
 * the report). */
#define NCU_STATES(X)                                                                    \
    X("long_scoreboard", "stall_long_sb", "waits for memory")                            \
    X("short_scoreboard", "stall_short_sb",                                              \
      "waits for shared memory or special functions")                                    \
    X("barrier", "stall_barrier", "waits for its block")                                 \
    X("membar", "stall_membar", "waits for a fence")                                     \
    X("mio_throttle", "stall_mio", "waits for the queue to shared memory")               \
    X("lg_throttle", "stall_lg", "waits for the queue to memory")                        \
    X("tex_throttle", "stall_tex", "waits for the queue to textures")                    \
    X("math_pipe_throttle", "stall_math", "waits for an arithmetic unit")                \
    X("wait", "stall_wait", "waits for the instruction before")                          \
    X("not_selected", "stall_not_selected", "could go, but another warp went")           \
    X("selected", "stall_selected", "goes")                                              \
    X("dispatch_stall", "stall_dispatch", "waits for the dispatcher")                    \
    X("branch_resolving", "stall_branch_resolving", "waits for a branch")                \
    X("no_instruction", "stall_no_inst", "waits for instructions to be fetched")         \
    X("imc_miss", "stall_imc", "waits for a constant")                                   \
    X("drain", "stall_drain", "waits for its stores at its end")                         \
    X("sleeping", "stall_sleep", "sleeps")                                               \
    X("gmma", "stall_gmma", "waits for tensor cores")

struct ncu_line {
    struct line_cost cost;
    double waits_share; /* of the line's samples that found a warp waiting for `waits`; 0
                           unless it is most of them */
    const char *waits;
};

struct ncu_lines {
    struct ncu_line *line; /* the costliest first */
    size_t count;
};

/* The kernel's name without what it returns and its parameters, as an emulated GPU tells
 * it. It holds nothing that a terminal would obey, and is cut to what struct
 * kernel_cost has room for. The caller frees. */
char *ncu_kernel_name(const char *full);

/* Adds up the lines of all launches of the kernel with this name. The time of a line is
 * its share of the samples in which warps were seen there. Its counters are those that
 * the table tells. The caller frees with ncu_lines_free. */
void ncu_lines_read(const struct csv_table *source, const struct kernel_cost *kernel,
                    struct ncu_lines *out);
void ncu_lines_free(struct ncu_lines *l);

#endif

/*
 * Modules, their kernels, and what is counted of a kernel's code.
 *
 * A machine owns its modules, a module its kernels. kernel_decode() decodes a kernel at
 * its first launch, or when somebody asks for what only decoding finds.
 */
#ifndef EMULATOR_KERNEL_H
#define EMULATOR_KERNEL_H

#ifndef __clang__
/* gcc's analyzer loses sight of what the machine's lists and tables hold and calls it
 * leaked; the leak sanitizer of the tests, which sees it, does not. */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

#include "code.h"
#include "exec.h"

/* --- counting ------------------------------------------------------------ */

/* The kinds of work that an instruction does for a thread. */
enum work {
    WORK_FP32,
    WORK_FP64,
    WORK_FP16,
    WORK_INT,
    WORK_SFU,
    WORK_TENSOR,
    WORK_TENSOR_TIME, /* the flops of f16 that take as long */
    WORK_SHUFFLE,     /* of a warp, however many lanes take part */
    WORK_KINDS
};

/* A tally counts executions. What is executed is a run, which is a straight sequence that
 * is entered at its header only, or one guarded instruction. A share says what one
 * execution of a tally adds to one source line. */
struct share {
    uint32_t tally, line; /* line: index into the kernel's lines */
    uint32_t warp_insns, thread_insns;
    uint32_t work[WORK_KINDS];
    uint32_t issue_slots;             /* of the machine code's instructions: issue.c */
    uint32_t path_cycles, path_loads; /* on the run's critical path: critical.c */
};

struct tally {
    uint64_t count, lanes;
};

/* Executions alone do not tell how memory was accessed. So each memory instruction,
 * barrier and branch that may diverge is a site, numbered within its kernel, with
 * counters of its own. They are fields of struct counters. */
#define SITE_COUNTS(X)                                                                   \
    X(global_requests)                                                                   \
    X(global_sectors)                                                                    \
    X(global_lines)                                                                      \
    X(l1_missed_sectors)                                                                 \
    X(global_load_bytes)                                                                 \
    X(global_store_bytes)                                                                \
    X(shared_requests)                                                                   \
    X(shared_wavefronts)                                                                 \
    X(atomic_requests)                                                                   \
    X(atomic_sectors)                                                                    \
    X(atomic_serial)                                                                     \
    X(barriers)                                                                          \
    X(divergent_branches)
struct site_counts {
#define X(name) uint64_t name;
    SITE_COUNTS(X)
#undef X
    /* Of these sectors, the ones of the host's memory: all; those that L1 did not have.
     */
    uint64_t host_sectors, host_missed;
    uint64_t local_wavefronts;
    uint32_t waits; /* 1: a warp waits for what L1 does not have; 0: nobody does */
};

/* A line of the user's source. The file is a number in the module. */
struct source_line {
    uint32_t file, line; /* line 0: not known */
};

/* --- kernels ------------------------------------------------------------- */

/* The bytes of shared memory that the system reserves (PTX ISA 10,
 * %reserved_smem_offset_*). Cooperative groups of several warps keep their barriers
 * there. They begin as zeros. */
enum { RESERVED_SHARED = 1024 };

/* A shared variable that the kernel names, or a function that it calls. */
struct shared_var {
    struct shared_var *next;
    const struct ptx_var *var;
    uint32_t offset;
    bool dynamic;
};

struct tally_weight; /* cost/block_cost.h */

struct kernel {
    struct module *module;
    const struct ptx_func *func;
    char name[256]; /* demangled */
    bool decoded;
    struct program *programs; /* the entry first */
    struct program *last_program;
    struct program **program_of; /* by the index of the function in the unit */
    uint32_t tally_count;
    struct share *shares; /* by growing tally, mostly */
    uint32_t share_count, share_max;
    struct tally_weight *weights; /* of the tallies that have any; NULL: not asked yet */
    uint32_t weight_count;
    uint32_t slot_count; /* of sites */
    struct site {
        uint32_t line;      /* index into lines */
        uint8_t wavefronts; /* that a request to shared memory needs at least */
        bool no_wait;       /* no warp waits for what it accesses: a store, red */
        bool past_l1;       /* L1 is not asked: volatile, ld.cg */
    } * slots;
    uint32_t slot_max;
    struct source_line *lines; /* [0]: what no line can be told of */
    uint32_t line_count, line_max;
    uint16_t *line_table;       /* hash table of lines' indices */
    struct costs *costs;        /* NULL before the first launch */
    uint32_t registers;         /* 0: not estimated yet, and ptxas's are not known */
    struct assembled assembled; /* name NULL: ptxas did not run, or has not ended */
    struct param_slot *params;
    uint32_t param_count, param_bytes;
    uint32_t static_shared, shared_align; /* bytes */
    bool reserved_shared;                 /* names the system's part of shared memory */
    struct shared_var *shared_vars;
    /* Blocks may talk to each other, or the order of their effects shows. One worker then
     * runs them in a fixed order, so that results and counters never depend on the
     * host. */
    bool serial;
    /* Warps of a block may tell each other through shared memory how far they are. */
    bool shared_flags;
    /* In a launch with checks a warp has read what another had written, in global or
     * shared memory, and nothing ordered the two. So launches without checks have the
     * order of order.h. */
    bool races_global, races_shared;
    /* Some threads of a block meet without the others, at a barrier with a count or at an
     * mbarrier, or lanes without the rest of their warp (race/race_party.c). */
    bool meets_in_part;
    struct ordered_insn *ordered; /* what others can see or have written (order.h) */
    bool has_barrier;
    struct chunk *memory; /* that kernel_memory() has given out */
    struct kernel *next;
};

struct module {
    struct module *next;
    struct machine *machine;
    int device;            /* whose it is */
    uint64_t managed;      /* address of the managed variables' memory; 0: none */
    uint8_t *managed_host; /* the same for us */
    struct ptx_module *ptx;
    uint64_t *addresses; /* of module-scope variables by index; 0: none */
    uint64_t *
        *func_addresses; /* of functions' own .global variables: by func and index */
    struct kernel *kernels;
};

/* Decodes what the kernel can reach, once. -1: the host has no memory, and f says so. */
int kernel_decode(struct kernel *k, struct fault *f);
void kernel_free(struct kernel *k);

/* Gives the instructions of a decoded kernel that others see the handlers that may be
 * held (order.h), as far as the kernel needs them: again after a race was found. */
void kernel_order(struct kernel *k);

/* Zeroed memory that lives as long as the kernel. NULL: the host has none. */
void *kernel_memory(struct kernel *k, size_t bytes);

/* The bytes of shared memory that a GPU would give a block which takes these: ptxas drops
 * variables that nothing reads. */
uint32_t kernel_modelled_shared(const struct kernel *k, uint32_t bytes);

/* registers.c: how many 32-bit registers a thread needs. */
uint32_t registers_estimate(const struct ptx_func *f);

#endif

/*
 * What others may see of the emulated GPU: faults, counters, costs, and the devices that
 * it can stand for. The arbiter, the device layer and the command line include this
 * header; only the emulator itself includes headers of exec/.
 *
 * All structures are plain values without pointers (struct device_model apart), so that a
 * process may send them to another one as they are (gpu/protocol.h).
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- faults -------------------------------------------------------------- */

/* Why a launch (or a load) failed; the CUDA error a program sees is derived from it. */
enum fault_kind {
    FAULT_NONE,
    FAULT_PTX_SYNTAX,       /* not PTX as the ISA defines it */
    FAULT_PTX_UNSUPPORTED,  /* an instruction, type or directive that is not known */
    FAULT_ILLEGAL_ADDRESS,  /* outside every allocation: cudaErrorIllegalAddress (700) */
    FAULT_MISALIGNED,       /* cudaErrorMisalignedAddress (716) */
    FAULT_UNINITIALIZED,    /* a notice: a read of memory never written */
    FAULT_RACE,             /* a notice: two accesses without an order between them */
    FAULT_BARRIER,          /* a deadlock, or a barrier with a number that none has */
    FAULT_TRAP,             /* trap or brkpt: cudaErrorLaunchFailure (719) */
    FAULT_ASSERT,           /* cudaErrorAssert (710) */
    FAULT_LAUNCH_CONFIG,    /* cudaErrorInvalidConfiguration (9) */
    FAULT_OUT_OF_RESOURCES, /* shared memory: cudaErrorLaunchOutOfResources (701) */
    FAULT_BUDGET,        /* the instruction budget is used up: a kernel that never ends */
    FAULT_INTERRUPTED,   /* machine_interrupt was called */
    FAULT_OUT_OF_MEMORY, /* device memory limit: cudaErrorMemoryAllocation (2) */
    FAULT_OUT_OF_ARRAY,  /* a notice: an access from one shared array into another */
    FAULT_DIVERGENT_BARRIER, /* a notice: threads of a warp are at different barriers */
    FAULT_SHUFFLE, /* a notice: a lane uses what a lane that takes no part would give */
    FAULT_PROCESS_MEMORY, /* the emulated GPU's process has used up its own memory */
};

/* Everything a person is told about a fault. */
struct fault {
    enum fault_kind kind;
    char kernel[256]; /* demangled where possible */
    uint32_t block[3], thread[3];
    uint64_t address;
    uint32_t access_bytes; /* width of the access; 0 where none */
    bool is_write;
    char space[16]; /* "global", "shared", "local", "constant", "param" */
    char file[256]; /* from .loc; "" where unknown */
    int line;
    char text[640]; /* the whole sentence, ready to show, with all of the above */
    /* A race's other side; of a divergent barrier, the other barrier; where a value that
     * a shuffle got is used. */
    uint32_t other_block[3], other_thread[3];
    bool other_is_write;
    char other_file[256];
    int other_line;
};

/* Does the fault tell of something that is wrong, but that a GPU lets pass? */
static inline bool
fault_is_notice(enum fault_kind kind)
{
    return kind == FAULT_UNINITIALIZED || kind == FAULT_RACE ||
           kind == FAULT_DIVERGENT_BARRIER || kind == FAULT_OUT_OF_ARRAY ||
           kind == FAULT_SHUFFLE;
}

/* --- counters ------------------------------------------------------------ */

/* What a kernel did: the only source of the modelled time. All counts are exact and do
 * not depend on the number of worker threads. */
struct counters {
    uint64_t launches;
    uint64_t warp_instructions;   /* issued, one for a warp */
    uint64_t thread_instructions; /* sum of active lanes */
    uint64_t fp32_flops, fp64_flops, fp16_flops, int_ops, sfu_ops, tensor_flops;
    uint64_t local_wavefronts;  /* for local memory, shuffles and further constants */
    uint64_t tensor_time;       /* the flops of f16 that take as long as tensor_flops */
    uint64_t global_requests;   /* warp-level global loads, stores, atomics */
    uint64_t global_sectors;    /* 32-byte sectors they touched */
    uint64_t global_lines;      /* 128-byte lines: 1 for a coalesced 4-byte request */
    uint64_t l1_missed_sectors; /* of these, not in the block's L1 filter: model.c */
    uint64_t global_load_bytes, global_store_bytes; /* as the threads asked for */
    uint64_t shared_requests;
    uint64_t shared_wavefronts; /* 1 per request without bank conflict */
    uint64_t shared_ideal;      /* wavefronts that whole warps without conflicts need */
    uint64_t atomic_requests;   /* to global memory */
    uint64_t atomic_sectors;    /* 32-byte sectors they touched */
    uint64_t atomic_serial;     /* largest number of lanes on one address, summed */
    uint64_t barriers;
    uint64_t divergent_branches;
    uint64_t issue_slots; /* warp instructions as ptxas would make them: issue.c */
    /* Along the warps' critical paths (critical.c): cycles, and loads of global memory.
     */
    uint64_t path_cycles, path_loads;
    uint64_t atomic_hottest; /* of a launch: atomics on the busiest 128-byte line */
    uint64_t copy_bytes_h2d, copy_bytes_d2h, copy_bytes_d2d, memset_bytes;
    uint64_t copies;     /* cudaMemcpy and cudaMemset calls of any kind */
    uint64_t host_bytes; /* that kernels moved from or to pinned and managed memory */
    double modelled_ns;  /* the sum over launches and copies; of several devices, the time
                            in which all have ended (clocks.c) */
    double host_ns;      /* what the host may have needed for bytes that it was given */
};

/* --- costs --------------------------------------------------------------- */

/*
 * What the kernels of a machine have cost so far, kernel by kernel and source line by
 * source line. All of it is derived from exact counts after each launch, so that it does
 * not depend on the number of worker threads; the times are modelled.
 */

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

/* What can bound how many blocks an SM holds at once: X(id, JSON name). */
/* clang-format off */
#define OCCUPANCY_LIMITS(X)                                                              \
    X(BLOCKS,    "blocks")                                                               \
    X(THREADS,   "threads")                                                              \
    X(REGISTERS, "registers")                                                            \
    X(SHARED,    "shared_memory")
/* clang-format on */
enum occupancy_limit {
#define X(id, name) OCCUPANCY_##id,
    OCCUPANCY_LIMITS(X)
#undef X
        OCCUPANCY_LIMIT_COUNT
};

/* One source line's part. Its counters have all but launches, copies and modelled_ns. */
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
    uint32_t shared_bytes;      /* a block of the last one, static and dynamic */
    uint32_t blocks_per_sm;     /* that fit at once, by the last one's shape */
    uint32_t warps_of_sm;       /* that the modelled SM has place for */
    uint32_t limit_blocks[OCCUPANCY_LIMIT_COUNT]; /* that would fit by each alone */
    double ns;
    double launch_ns;                  /* of it, the launches' fixed costs */
    double bound_ns[COST_BOUND_COUNT]; /* what each alone would have taken */
    struct counters counters;
    uint32_t line_count, lines_left;   /* told below, and those that come after them */
    struct line_cost line[COST_LINES]; /* the costliest first */
};

/* --- devices ------------------------------------------------------------- */

/* The figures of one device; harness/emulator/devices/ has a file of them for each.
 * X(name, unit): unit is what a figure counts in. */
/* clang-format off */
#define DEVICE_FIGURES(X)                                                                \
    X(clock_ghz, "GHz")                                                                  \
    X(sms, "")                                                                           \
    X(schedulers_per_sm, "warp instructions a clock")                                    \
    X(warps_per_sm, "")                                                                  \
    X(blocks_per_sm, "")                                                                 \
    X(registers_per_sm, "of 32 bits")                                                    \
    X(shared_bytes_per_sm, "bytes")                                                      \
    X(fp32_lanes, "a clock and SM")                                                      \
    X(fp64_lanes, "a clock and SM")                                                      \
    X(fp16_lanes, "a clock and SM")                                                      \
    X(int_lanes, "a clock and SM")                                                       \
    X(sfu_lanes, "a clock and SM")                                                       \
    X(tensor_flops, "a clock and SM, f16 and bf16")                                      \
    X(tensor_tf32_flops, "a clock and SM")                                               \
    X(tensor_f64_flops, "a clock and SM")                                                \
    X(tensor_byte_flops, "a clock and SM, 8 bits and fewer")                             \
    X(dram_bytes_per_ns, "bytes a ns")                                                   \
    X(l2_bytes_per_ns, "bytes a ns")                                                     \
    X(l2_bytes_per_sm_clock, "bytes a clock and SM")                                     \
    X(l2_bytes, "bytes")                                                                 \
    X(l1_latency_ns, "ns")                                                               \
    X(l2_latency_ns, "ns")                                                               \
    X(memory_latency_ns, "ns")                                                           \
    X(launch_ns, "ns")                                                                   \
    X(block_start_ns, "ns")                                                              \
    X(atomic_sectors_per_ns, "sectors a ns")                                             \
    X(atomic_line_ns, "ns")                                                              \
    X(copy_ns, "ns")                                                                     \
    X(pcie_bytes_per_ns, "bytes a ns")                                                   \
    X(peer_bytes_per_ns, "bytes a ns")                                                   \
    X(host_bytes_per_ns, "bytes a ns")
/* clang-format on */
struct device_model {
    const char *key;  /* "h200": the file's name */
    const char *name; /* "NVIDIA H200" */
#define X(figure, unit) double figure;
    DEVICE_FIGURES(X)
#undef X
};

/* By key; NULL: there is none. device_at(0) is what is modelled where nobody says. */
const struct device_model *device_by_key(const char *key);
const struct device_model *device_at(unsigned index);

/* How many blocks of this shape one SM holds at once, and how many each limit alone would
 * let it hold; 0: none fits. */
uint32_t model_occupancy(const struct device_model *d, uint32_t threads,
                         uint32_t shared_bytes, uint32_t registers,
                         uint32_t limit[OCCUPANCY_LIMIT_COUNT]);

/* A C++ name as people write it, without parameters: "ns::add" of _ZN2ns3addEv. What is
 * not understood stays as it is. */
void demangle(const char *mangled, char *out, size_t size);

#endif

/*
 * The emulated GPU's machine: memory, loaded modules, launches, counters. In-process
 * library, no sockets and no files: gpu/ makes a process of it, tests call it directly.
 *
 * Ownership: a machine owns its modules and its memory. All functions are to be called
 * from one thread; a launch spreads over worker threads of its own and has joined them on
 * return. Nothing here calls abort or exits on what a program does: faults are results.
 */
#ifndef EMULATOR_EXEC_H
#define EMULATOR_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct module;
struct kernel; /* an .entry of a module */

/* Why a launch (or a load) failed; the CUDA error a program sees is derived from it. */
enum fault_kind {
    FAULT_NONE,
    FAULT_PTX_SYNTAX,      /* not PTX as the ISA defines it */
    FAULT_PTX_UNSUPPORTED, /* an instruction, type or directive this build does not know
                            */
    FAULT_ILLEGAL_ADDRESS, /* outside every allocation: cudaErrorIllegalAddress (700) */
    FAULT_MISALIGNED,      /* cudaErrorMisalignedAddress (716) */
    FAULT_UNINITIALIZED, /* read of memory never written (reported, not fatal on a GPU) */
    FAULT_RACE,          /* reported, not fatal on a GPU */
    FAULT_BARRIER,       /* deadlock, or a barrier that there is not */
    FAULT_TRAP,          /* trap or brkpt: cudaErrorLaunchFailure (719) */
    FAULT_ASSERT,        /* cudaErrorAssert (710) */
    FAULT_LAUNCH_CONFIG, /* cudaErrorInvalidConfiguration (9) */
    FAULT_OUT_OF_RESOURCES, /* too much shared memory: cudaErrorLaunchOutOfResources (701)
                             */
    FAULT_BUDGET,        /* the instruction budget is used up: a kernel that never ends */
    FAULT_INTERRUPTED,   /* machine_interrupt was called */
    FAULT_OUT_OF_MEMORY, /* device memory limit: cudaErrorMemoryAllocation (2) */
    FAULT_OUT_OF_ARRAY,  /* of a shared array into another variable (reported, not fatal
                            on a GPU) */
    FAULT_DIVERGENT_BARRIER, /* of one warp at two places (reported, not fatal on a GPU)
                              */
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
    /* A race's other side; of a divergent barrier, the other barrier. */
    uint32_t other_block[3], other_thread[3];
    bool other_is_write;
    char other_file[256];
    int other_line;
};

/* What a GPU lets pass, but is wrong: reads of memory never written, races, divergent
 * barriers, accesses from one shared array into another. */
static inline bool
fault_is_notice(enum fault_kind kind)
{
    return kind == FAULT_UNINITIALIZED || kind == FAULT_RACE ||
           kind == FAULT_DIVERGENT_BARRIER || kind == FAULT_OUT_OF_ARRAY;
}

/* What a kernel did: the only source of the modelled time. All counts are exact and do
 * not depend on the number of worker threads. */
struct counters {
    uint64_t launches;
    uint64_t warp_instructions;   /* issued, one for a warp */
    uint64_t thread_instructions; /* sum of active lanes */
    uint64_t fp32_flops, fp64_flops, fp16_flops, int_ops, sfu_ops, tensor_flops;
    uint64_t global_requests;   /* warp-level global loads, stores, atomics */
    uint64_t global_sectors;    /* 32-byte sectors they touched */
    uint64_t global_lines;      /* 128-byte lines: 1 for a coalesced 4-byte request */
    uint64_t l1_missed_sectors; /* of these, not in the block's L1 filter: model.c */
    uint64_t global_load_bytes, global_store_bytes; /* as the threads asked for */
    uint64_t shared_requests;
    uint64_t shared_wavefronts; /* 1 per request without bank conflict */
    uint64_t
        shared_ideal; /* as many as there would be without conflicts, of whole warps */
    uint64_t atomic_requests; /* to global memory */
    uint64_t atomic_sectors;  /* 32-byte sectors they touched */
    uint64_t atomic_serial;   /* largest number of lanes on one address, summed */
    uint64_t barriers;
    uint64_t divergent_branches;
    uint64_t issue_slots; /* warp instructions as ptxas would make them: issue.c */
    /* Along the warps' critical paths (paths.c): cycles, and loads of global memory. */
    uint64_t path_cycles, path_loads;
    uint64_t atomic_hottest; /* of a launch: atomics on the busiest 128-byte line */
    uint64_t copy_bytes_h2d, copy_bytes_d2h, copy_bytes_d2d, memset_bytes;
    uint64_t copies;     /* cudaMemcpy and cudaMemset calls of any kind */
    uint64_t host_bytes; /* that kernels moved from or to pinned and managed memory */
    double modelled_ns;  /* model.h: sum over launches and copies; several devices:
                            clocks.c */
    double host_ns;      /* what the host may have done with bytes that it was given */
};

/* A machine may be several devices of one kind. They share its address space, and are
 * worked on one after the other, in the order of the calls; what would have overlapped is
 * in the modelled time only (clocks.c). */
enum { MACHINE_DEVICES_MAX = 2, EVERY_DEVICE = -1 };

struct machine_options {
    uint64_t memory_bytes; /* of a device; 0: 16 GiB (address space, committed on use) */
    int devices;           /* 0: 1 */
    int threads;           /* workers; 0: one per CPU */
    bool checks;           /* uninitialised reads and races too, not only bounds */
    bool generic;          /* the handlers for any x86-64, even where there is AVX2 */
    uint64_t instruction_budget; /* warp instructions per launch; 0: none */
    struct work_count *work; /* work.h: of all launches; the caller's; NULL: not wanted */
};

/* NULL only if the host has no memory for it. */
struct machine *machine_new(const struct machine_options *options);
void machine_free(struct machine *m);

/* The device whose memory the next allocations and imports are (memory_import_at: every
 * device's), and that the next modules, launches and copies belong to. At first 0. */
void machine_select(struct machine *m, int device);
int machine_devices(const struct machine *m);

/* --- memory: device addresses are opaque 64-bit numbers, never host pointers --- */

/* 256-byte aligned. 0 and fault FAULT_OUT_OF_MEMORY if the limit is reached. */
uint64_t memory_alloc(struct machine *m, uint64_t bytes, struct fault *f);
int memory_free(struct machine *m, uint64_t address); /* -1: not an allocation's start */

/* Makes host memory that the caller mapped (page-aligned; it stays the caller's and must
 * outlive the machine or the release) appear as a device allocation. initialized: its
 * bytes count as written. memory_free releases it. Not counted against the limit. */
uint64_t memory_import(struct machine *m, void *host, uint64_t bytes, bool initialized,
                       struct fault *f);

/* The same at an address that the caller chooses (page-aligned, free of allocations): for
 * memory that has one address in host and device code. 0: the address is taken. */
uint64_t memory_import_at(struct machine *m, uint64_t address, void *host, uint64_t bytes,
                          bool initialized, struct fault *f);

/* Could memory_import_at have it? */
bool memory_is_free(const struct machine *m, uint64_t address, uint64_t bytes);

/* Marks an allocation's bytes as written or never written. */
void memory_mark(struct machine *m, uint64_t address, uint64_t bytes, bool initialized);

/* A host view of [address, address + bytes), or NULL if it is not inside one allocation.
 */
void *memory_host(struct machine *m, uint64_t address, uint64_t bytes);

/* Start and size of the allocation that holds address; -1 if none does. */
int memory_find(struct machine *m, uint64_t address, uint64_t *start, uint64_t *bytes);
/* The device whose memory it is; EVERY_DEVICE: the host's, or nobody's. */
int memory_device(struct machine *m, uint64_t address);
uint64_t memory_used(const struct machine *m);  /* by memory_alloc, of this device's */
uint64_t memory_limit(const struct machine *m); /* of each device */

/* Counts a copy or a memset in the counters (the bytes moved are the caller's business).
 * COPY_PEER is from one device's memory to another's. */
enum copy_kind { COPY_H2D, COPY_D2H, COPY_D2D, COPY_PEER, COPY_MEMSET };
void machine_count_copy(struct machine *m, enum copy_kind kind, uint64_t bytes);

/* --- modelled time of several devices (clocks.c) --- */

/* Of the current device, in nanoseconds since machine_new. */
double machine_clock(const struct machine *m);
/* The host waits until the current device has done what it was given; all devices. */
void machine_wait(struct machine *m);
void machine_wait_all(struct machine *m);
/* The current device waits for that time of another's clock. */
void machine_wait_until(struct machine *m, double ns);

/* --- modules ------------------------------------------------------------- */

/* Parses and decodes PTX text (need not be NUL-terminated). NULL and a fault whose text
 * names the line of PTX, or the source line, and for FAULT_PTX_UNSUPPORTED the
 * instruction. Unsupported instructions are not an error at load: the kernel that
 * executes one faults then, with its source line. Allocates and initialises the module's
 * .global and .const variables. */
struct module *module_load(struct machine *m, const char *ptx, size_t len,
                           struct fault *f);
void module_unload(struct machine *m, struct module *mod);

/* Memory for a module's __managed__ variables: maps bytes of it where a process can map
 * them, too, and keeps [returned address, + bytes) free of allocations for the module,
 * which places its variables there. The memory is the function's and must outlive the
 * module. 0: there is none. */
typedef uint64_t managed_memory(void *context, uint64_t bytes, void **host);

/* The same as module_load; where map is NULL managed variables are like others. */
struct module *module_load_managed(struct machine *m, const char *ptx, size_t len,
                                   managed_memory *map, void *context, struct fault *f);

struct kernel *module_kernel(struct module *mod,
                             const char *mangled_name); /* NULL: none */

/* Device address and size of a .global/.const variable; -1: none of that name. */
int module_variable(struct module *mod, const char *name, uint64_t *address,
                    uint64_t *bytes);

/* Parameters in order: byte offset within the parameter block and size. */
int kernel_param_count(const struct kernel *k);
void kernel_param(const struct kernel *k, int i, uint32_t *offset, uint32_t *size);
uint32_t kernel_param_bytes(const struct kernel *k);
uint32_t kernel_static_shared(const struct kernel *k);
uint32_t
kernel_registers(const struct kernel *k); /* 32-bit registers a thread, estimated */
uint32_t kernel_max_threads(const struct kernel *k);              /* .maxntid or 1024 */
void kernel_cluster(const struct kernel *k, uint32_t cluster[3]); /* required; 0: any */
const char *kernel_name(const struct kernel *k);                  /* mangled */
struct module *kernel_module(const struct kernel *k);
int kernel_device(const struct kernel *k); /* that its module was loaded on */

/* --- launches ------------------------------------------------------------ */

struct launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared; /* bytes */
    uint32_t cluster[3];     /* blocks of a cluster; 0: as the kernel says, else one */
    bool cooperative;        /* all blocks resident: grid barriers make progress */
    bool peers;              /* the memory of other devices may be accessed */
    const void *params;      /* kernel_param_bytes() bytes */
};

/* Runs to the end. 0, or -1 with the first fault in block order. With checks on, a launch
 * of which there is something to notice (fault_is_notice) returns 0 and says the first of
 * it (reads of what was never written last) in f, else FAULT_NONE: a GPU would go on as
 * well. Counters are added to the machine's either way. */
int machine_launch(struct machine *m, struct kernel *k, const struct launch *l,
                   struct fault *f);

/* All notices of the last launch, one for each kind and pair of lines, in the order in
 * which they came; they stay the machine's. */
enum { NOTICES_MAX = 8 };
const struct fault *machine_notices(const struct machine *m, uint32_t *count);

/* Async-signal- and thread-safe: makes a running launch stop with FAULT_INTERRUPTED, its
 * fault naming the kernel and a source line where it was running. */
void machine_interrupt(struct machine *m);

void machine_counters(const struct machine *m,
                      struct counters *out); /* since machine_new */

/* Diagnostics (options.checks) on or off for later launches. */
void machine_set_checks(struct machine *m, bool checks);

/* Device-side printf text produced since the last call; the caller frees; NULL if none.
 */
char *machine_take_output(struct machine *m, size_t *len);

/* What a GPU prints on standard error where the last launch ended in a failed assertion:
 * a line for each thread of the warp. The machine's until the next launch; NULL: none. */
const char *machine_asserted(const struct machine *m, size_t *len);

/* Blocks of the kernel that one SM holds at once (cudaOccupancyMaxActiveBlocksPer...). */
uint32_t kernel_blocks_per_sm(const struct kernel *k, uint32_t threads,
                              uint32_t dynamic_shared);

/* Diagnostics on or off for later launches. */
void machine_set_checks(struct machine *m, bool checks);

/* The figures of struct cudaDeviceProp that the runtime needs. */
struct machine_properties {
    char name[64];    /* "warpjudge emulated GPU" */
    int major, minor; /* 8, 0 */
    int multiprocessors, max_threads_per_block, max_threads_per_sm, warp_size;
    uint64_t memory_bytes, shared_per_block, shared_per_block_optin, shared_per_sm,
        l2_bytes;
    int clock_khz, memory_clock_khz, memory_bus_bits;
    int devices; /* of this kind, numbered from 0 */
};
void machine_properties(const struct machine *m, struct machine_properties *out);

#endif

/*
 * The machine of the emulated GPU: memory, loaded modules, launches, counters. It is a
 * library without sockets and files; gpu/ makes a process of it, tests call it directly.
 *
 * A machine owns its modules and its memory. One thread calls all functions; a launch
 * spreads over worker threads of its own, which have finished when it returns. Whatever a
 * kernel does, no function aborts or exits: a fault is a result.
 */
#ifndef EMULATOR_EXEC_H
#define EMULATOR_EXEC_H

#include "../emulator.h"

struct machine;
struct module;
struct kernel; /* an .entry of a module */

/* A machine may be several devices of one kind, which share its address space. The work
 * of the devices is done one after the other, in the order of the calls. Only the
 * modelled time knows what would have overlapped (clocks.c). */
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

/* Chooses the device to which the next allocations, imports, modules, launches and copies
 * belong, at first device 0. What memory_import_at() makes belongs to every device. */
void machine_select(struct machine *m, int device);
int machine_devices(const struct machine *m);

/* --- memory: device addresses are opaque 64-bit numbers, never host pointers --- */

/* 256-byte aligned. 0 and fault FAULT_OUT_OF_MEMORY if the limit is reached. */
uint64_t memory_alloc(struct machine *m, uint64_t bytes, struct fault *f);
int memory_free(struct machine *m, uint64_t address); /* -1: not an allocation's start */

/* Makes an allocation of host memory that the caller has mapped, page-aligned. The caller
 * keeps the memory until the machine ends or memory_free() releases the allocation. It
 * does not count against the limit. initialized: its bytes count as written. */
uint64_t memory_import(struct machine *m, void *host, uint64_t bytes, bool initialized,
                       struct fault *f);

/* The same at an address that the caller chooses, page-aligned and free of allocations.
 * So memory has one address in host and device code. 0: the address is taken. */
uint64_t memory_import_at(struct machine *m, uint64_t address, void *host, uint64_t bytes,
                          bool initialized, struct fault *f);

/* Could memory_import_at() have these addresses? */
bool memory_is_free(const struct machine *m, uint64_t address, uint64_t bytes);

/* Marks an allocation's bytes as written or never written. */
void memory_mark(struct machine *m, uint64_t address, uint64_t bytes, bool initialized);

/* Names the allocation at this address, an array of elements of so many bytes. `name` has
 * `size` bytes, of which the last is not read. -1: there is none. */
int memory_name(struct machine *m, uint64_t address, const char *name, size_t size,
                uint32_t element_bytes);

/* A host view of [address, address + bytes), or NULL if it is not inside one allocation.
 */
void *memory_host(struct machine *m, uint64_t address, uint64_t bytes);

/* Start and size of the allocation that holds address; -1 if none does. */
int memory_find(struct machine *m, uint64_t address, uint64_t *start, uint64_t *bytes);
/* The device that owns the memory at an address; EVERY_DEVICE: the host does, or nobody.
 */
int memory_device(struct machine *m, uint64_t address);
uint64_t memory_used(const struct machine *m);  /* bytes of this device's allocations */
uint64_t memory_limit(const struct machine *m); /* of each device */

/* Counts a copy or a memset, which the caller makes. COPY_PEER is from one device's
 * memory to another's. sector_bytes is what it moves between L2 and the device's memory,
 * which comes and goes in whole sectors. */
enum copy_kind { COPY_H2D, COPY_D2H, COPY_D2D, COPY_PEER, COPY_MEMSET };
void machine_count_copy(struct machine *m, enum copy_kind kind, uint64_t bytes,
                        uint64_t sector_bytes);
/* A program of so many bytes was loaded: it takes the time of a copy from the host. */
void machine_count_load(struct machine *m, uint64_t bytes);

/* --- modelled time of several devices (clocks.c) --- */

/* The time of the current device, in nanoseconds since machine_new(). */
double machine_clock(const struct machine *m);
/* The host waits until the current device, or all devices, have done their work. */
void machine_wait(struct machine *m);
void machine_wait_all(struct machine *m);
/* The current device waits until another's clock has reached this time. */
void machine_wait_until(struct machine *m, double ns);

/* --- modules ------------------------------------------------------------- */

/* Parses PTX text, which need not end in NUL, and allocates and initialises the module's
 * .global and .const variables. NULL: the fault's text names the line of PTX or of the
 * source, and for FAULT_PTX_UNSUPPORTED the instruction. An instruction that is not
 * supported is no error here: a kernel that executes it faults, with its source line. */
struct module *module_load(struct machine *m, const char *ptx, size_t len,
                           struct fault *f);
void module_unload(struct machine *m, struct module *mod);

/* Makes memory for a module's __managed__ variables: it maps `bytes` bytes where a
 * process can map them, too, and returns their address. No allocation may lie there; the
 * module places its variables there. The function owns the memory, which must outlive the
 * module. 0: there is none. */
typedef uint64_t managed_memory(void *context, uint64_t bytes, void **host);

/* The same as module_load(). Where map is NULL, managed variables are like others. */
struct module *module_load_managed(struct machine *m, const char *ptx, size_t len,
                                   managed_memory *map, void *context, struct fault *f);

/* What ptxas made of a kernel. */
struct assembled {
    const char *name;   /* mangled */
    uint32_t registers; /* of a thread, 32-bit ones */
    uint32_t stack;     /* bytes of a thread: arrays and spilled registers */
    uint32_t shared;    /* bytes of a block, static */
};

/* Tells the kernels of a module what ptxas made of them. The list is sorted by name, and
 * need not live on. It counts from the next launch. */
void module_assembled(struct module *mod, const struct assembled *list, size_t count);

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
/* 32-bit registers of a thread: ptxas's, or the estimate of decode/registers.c. */
uint32_t kernel_registers(const struct kernel *k);
uint32_t kernel_max_threads(const struct kernel *k); /* .maxntid or 1024 */
void kernel_cluster(const struct kernel *k,
                    uint32_t cluster[3]);        /* that it requires; 0: any */
uint32_t kernel_target(const struct kernel *k);  /* .target, 75 for sm_75 */
const char *kernel_name(const struct kernel *k); /* mangled */
struct module *kernel_module(const struct kernel *k);
int kernel_device(const struct kernel *k); /* the device that its module is loaded on */

/* --- launches ------------------------------------------------------------ */

struct launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared; /* bytes */
    uint32_t cluster[3];     /* blocks of a cluster; 0: as the kernel says, else one */
    bool cooperative;        /* all blocks resident: grid barriers make progress */
    bool peers;              /* may access the memory of other devices */
    const void *params;      /* kernel_param_bytes() bytes */
};

/* Runs the launch to its end. -1: f is the first fault in the order of blocks. With 0, f
 * is FAULT_NONE, or with checks on the first notice (fault_is_notice), because a GPU
 * would go on, too; other notices go before reads of what was never written. The machine
 * counts the launch in each case. */
int machine_launch(struct machine *m, struct kernel *k, const struct launch *l,
                   struct fault *f);

/* All notices of the last launch, one for each kind and pair of lines, in the order in
 * which they came. The machine owns them. */
enum { NOTICES_MAX = 8 };
const struct fault *machine_notices(const struct machine *m, uint32_t *count);

/* Makes a running launch stop with FAULT_INTERRUPTED; the fault names the kernel and a
 * source line where it was running. Any thread or signal handler may call this. */
void machine_interrupt(struct machine *m);

/* What was counted since machine_new(). */
void machine_counters(const struct machine *m, struct counters *out);

/* Switches checks (options.checks) on or off for later launches. */
void machine_set_checks(struct machine *m, bool checks);

/* The kernel that is the index-th by its costs; -1: not so many were launched. Of the
 * kernels whose modules are gone, the 16 costliest are remembered. Its lines are told
 * from the place first_line on, the costliest being 0; of a kernel that is gone only the
 * first COST_LINES are. */
int machine_cost(const struct machine *m, uint32_t index, uint32_t first_line,
                 struct kernel_cost *out);

/* Forgets the costs of all kernels; the machine's own counters go on. */
void machine_costs_reset(struct machine *m);

/* What kernels have printed since the last call; the caller frees it. NULL: nothing. */
char *machine_take_output(struct machine *m, size_t *len);

/* What a GPU prints on standard error when an assertion fails: a line for each thread of
 * the warp. NULL: none failed in the last launch. The machine owns the text until the
 * next launch. */
const char *machine_asserted(const struct machine *m, size_t *len);

/* Blocks of the kernel that one SM holds at once (cudaOccupancyMaxActiveBlocksPer...). */
uint32_t kernel_blocks_per_sm(const struct kernel *k, uint32_t threads,
                              uint32_t dynamic_shared);

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

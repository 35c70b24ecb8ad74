/*
 * The machine's inside, shared by the files of exec/ only.
 *
 *   machine, memory, module, variables    a device: properties, allocations, PTX units
 *   launch, block, cluster, warp           grids and workers, barriers, splits and frames
 *   fault, demangle                        what people are told
 *   decode/    PTX -> dense instructions: operands, order of blocks, registers, paths
 *   ops/       the handlers: arithmetic on rows of 32 lanes (lanes) or a lane at a time
 *              (scalar), loads and stores (access), atomics, shuffles, matrices, copies
 *   texture/   textures and surfaces
 *   race/      data races by happens-before
 *   cost/      counters by kernel and source line, the modelled time
 *
 * How a kernel runs. decode turns a kernel and the functions it calls into arrays of
 * struct insn, laid out in reverse post-order with loops contiguous (layout.c). A
 * register is a row of 32 lanes in the frame of a call (predicates are one 32-bit mask);
 * immediates, addresses of variables and special registers are rows too, so every operand
 * is an offset from warp->regs. The dispatch loop is `in = in->fn(w, in)`: a handler
 * executes one instruction for the lanes of w->mask and returns the next one, or NULL
 * with w->stop set.
 *
 * Control flow (Volta's rules). A warp is a set of splits: (position, frame, mask). One
 * runs, the others wait in warp->splits. The one that runs is always the one at the
 * lowest position (of the lowest epoch), so that lanes meet again at joins; equal
 * positions merge. Where splits may meet or park, the code has a RUN header: it counts
 * the straight run of instructions after it and compares the position with
 * warp->next_stop. Backward branches use up a budget; then the split's epoch grows and
 * others go first, which makes spin locks and look-back loops progress,
 * deterministically.
 */
#ifndef EMULATOR_INTERNAL_H
#define EMULATOR_INTERNAL_H

#ifndef __clang__
/* gcc's analyzer loses sight of what the machine's lists and tables hold and calls it
 * leaked; the leak sanitizer of the tests, which sees it, does not. */
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

#include "../ptx/ptx.h"
#include "cost/model.h"
#include "exec.h"
#include "work.h"

#include <pthread.h>
#include <stdatomic.h>

enum { LANES = 32 };
#define FULL_MASK UINT32_MAX

/* --- addresses ----------------------------------------------------------- */

/*
 * The device's address space. Global memory lies above 2^47, where no x86-64 process has
 * a mapping unless it asks for one, so that a device pointer used by host code faults.
 * The windows are what cvta makes of shared, local and param addresses.
 */
#define GLOBAL_BASE 0x0000810000000000u
#define GLOBAL_END 0x0000f00000000000u
#define SHARED_WINDOW 0x0000f10000000000u
#define LOCAL_WINDOW 0x0000f20000000000u
#define PARAM_WINDOW 0x0000f30000000000u
#define WINDOW_BYTES 0x0000000100000000u

/* The system's part of shared memory (PTX ISA 10, %reserved_smem_offset_*): cooperative
 * groups of several warps keep their barriers there. It begins as zeros. */
enum { RESERVED_SHARED = 1024 };

/* What the race detector remembers of some memory (race_shadow.c); zero: nothing. */
struct race_line;
struct race_chunk;
struct race_shadow {
    struct race_line *lines;
    size_t mapped_bytes;
    struct race_chunk *chunks; /* of cells */
    uint32_t written;          /* stamp of the last write to any of it */
};

struct allocation {
    uint64_t start, bytes;
    uint8_t *host;
    uint8_t *shadow;     /* a byte for a byte: 1 written, 0 never; NULL: all written */
    size_t mapped_bytes; /* 0: from aligned_alloc; imports: caller's memory */
    size_t shadow_mapped_bytes;
    bool imported, internal;     /* internal: a module's variables */
    bool device_heap;            /* by malloc() in a kernel */
    bool constant;               /* a .const variable */
    int device;                  /* whose memory it is; EVERY_DEVICE: the host's */
    _Atomic uint32_t touched_by; /* number of the last launch that accessed it */
    struct race_shadow race;
};

struct memory {
    struct allocation **sorted;
    size_t count, max;
    uint64_t next;
    uint64_t used[MACHINE_DEVICES_MAX], limit; /* of each device */
    struct {
        uint64_t start, bytes;
    } freed[64]; /* the last ones, to explain a use after free */
    unsigned freed_next;
};

struct allocation *memory_lookup(struct machine *m, uint64_t address);
struct allocation *memory_nearest(struct machine *m, uint64_t address);
bool memory_was_freed(struct machine *m, uint64_t address, uint64_t *start,
                      uint64_t *bytes);
uint64_t memory_alloc_internal(struct machine *m, uint64_t bytes, uint64_t align);
void memory_init(struct machine *m, uint64_t limit);
void memory_destroy(struct machine *m);

/* May the launch that is on touch it? */
static inline bool
is_within_reach(int current, bool peers, const struct allocation *a)
{
    return peers || a->device == current || a->device == EVERY_DEVICE;
}

/* clocks.c: the current device is busy for so long (together with all the others, where
 * `all`). */
void clock_spend(struct machine *m, double ns, bool all);

/* --- decoded code -------------------------------------------------------- */

struct warp;
struct insn;
typedef const struct insn *(*handler)(struct warp *w, const struct insn *in);

struct insn {
    handler fn;
    uint32_t d, a, b, c; /* rows: byte offsets from warp->regs */
    union {
        int64_t imm;
        const struct insn *target;
        handler inner;
        const struct extra *extra;
        const struct access *access;
    };
    uint32_t x, y; /* the handler's own */
};

/* More operands than an insn has room for. */
struct extra {
    uint32_t rows[40];
    uint8_t widths[40]; /* bytes of an element of the row; 0: a predicate's mask */
    uint32_t count;
    const struct insn **table;
    const struct program *callee;
    const struct ptx_insn *origin;
    uint64_t (*scalar)(const uint64_t *v, uint32_t flags);
    int64_t imm;
    uint32_t slot;
    enum ptx_space space;
};

/* What an instruction counts as, a thread. */
enum work {
    WORK_FP32,
    WORK_FP64,
    WORK_FP16,
    WORK_INT,
    WORK_SFU,
    WORK_TENSOR,
    WORK_KINDS
};

/* A tally counts executions: of a run (a straight sequence that is entered at its header
 * only) or of one guarded instruction. What one execution of it is worth, a source line
 * at a time. */
struct share {
    uint32_t tally, line; /* line: index into the kernel's lines */
    uint32_t warp_insns, thread_insns;
    uint32_t work[WORK_KINDS];
    uint32_t issue_slots;             /* of the machine code's instructions: issue.c */
    uint32_t path_cycles, path_loads; /* on the run's critical path: paths.c */
};

struct tally {
    uint64_t count, lanes;
};

/* What cannot be known from executions alone is counted where it happens: each memory
 * instruction, barrier and branch that may diverge is a site, numbered within its kernel.
 * The fields are those of struct counters. */
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
};

/* A line of the user's source, by the number of its file in the module. */
struct source_line {
    uint32_t file, line; /* line 0: not known */
};

/* Rows that depend on the launch, the thread or the call and are written when a frame is
 * made. */
struct special {
    enum ptx_sreg sreg; /* NONE: address of a local or param variable; COUNT: of
                           dynamic shared memory */
    bool parameter;     /* not a register: the entry's parameter at local_offset */
    enum { PER_LAUNCH, PER_BLOCK, PER_WARP } changes; /* in the entry's frame */
    uint32_t row, bytes;
    uint32_t local_offset;
};

/* A shared variable that the kernel or what it calls names. */
struct shared_var {
    struct shared_var *next;
    const struct ptx_var *var;
    uint32_t offset;
    bool dynamic;
};

/* A row with one value in all lanes (predicates: a mask). */
struct constant {
    uint64_t bits;
    uint32_t row, bytes;
};

struct param_slot {
    uint32_t offset,
        bytes; /* within the frame's local memory; entries: within the block */
};

/* One function, decoded for one kernel. */
struct program {
    struct program *next;
    const struct ptx_func *func;
    struct insn *insns;
    const struct ptx_insn **origin; /* parallel to insns; NULL: made by us */
    uint32_t insn_count;
    uint32_t frame_bytes;
    struct constant *constants;
    uint32_t constant_count;
    struct special *specials;
    uint32_t special_count;
    uint32_t local_bytes;
    struct param_slot *params, *returns;
    uint32_t param_count, return_count;
};

struct kernel {
    struct module *module;
    const struct ptx_func *func;
    char name[256]; /* demangled */
    bool decoded;
    struct program *programs; /* the entry first */
    struct program *last_program;
    struct program **program_of; /* by the function's index */
    uint32_t tally_count;
    struct share *shares; /* by growing tally, mostly */
    uint32_t share_count, share_max;
    uint32_t slot_count; /* sites */
    struct site {
        uint32_t line;      /* index into lines */
        uint8_t wavefronts; /* that a request to shared memory needs at least */
    } * slots;
    uint32_t slot_max;
    struct source_line *lines; /* [0]: what no line can be told of */
    uint32_t line_count, line_max;
    uint16_t *line_table; /* hash table of lines' indices */
    struct costs *costs;  /* NULL before the first launch */
    uint32_t registers;   /* 0: not estimated yet */
    struct param_slot *params;
    uint32_t param_count, param_bytes;
    uint32_t static_shared, shared_align;
    bool reserved_shared; /* names the system's part of shared memory */
    struct shared_var *shared_vars;
    /* Blocks may talk to each other, or the order of their effects shows: run by one
     * worker in a fixed order, so that results and counters never depend on the host. */
    bool serial;
    bool has_barrier;
    struct chunk *memory; /* what the decoded code consists of */
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

/* Function "addresses" as programs see them: opaque numbers. */
#define FUNC_ADDRESS_BASE 0x0000f40000000000u

int kernel_decode(struct kernel *k, struct fault *f);
void kernel_free(struct kernel *k);
void demangle(const char *mangled, char *out, size_t size);

/* --- running ------------------------------------------------------------- */

struct frame {
    struct frame *parent;
    const struct program *program;
    const struct insn *call_site, *return_to; /* in the parent */
    const struct extra *call;                 /* NULL for the kernel itself */
    uint8_t *regs;
    uint32_t local_base;
    uint32_t mask; /* lanes still inside */
    uint32_t depth;
    struct frame *next, **link; /* in the warp's list */
};

enum split_state { SPLIT_READY, SPLIT_AT_BARRIER, SPLIT_AT_SYNC, SPLIT_AT_CLUSTER };

struct split {
    const struct insn *pc;
    struct frame *frame;
    uint32_t mask, epoch;
    enum split_state state;
    uint32_t barrier;   /* AT_BARRIER: its number */
    uint32_t sync_mask; /* AT_SYNC: who must come */
    uint32_t sync_kind;
};

enum stop { STOP_NONE, STOP_RESCHEDULE, STOP_YIELD, STOP_FAULT };

struct warp {
    uint8_t *regs; /* of the current split's frame */
    uint32_t mask; /* lanes executing now */
    uint32_t live; /* lanes that have not exited */
    const struct insn *next_stop;
    struct frame *frame;
    uint32_t epoch;
    int32_t branch_budget;
    bool spinning; /* something to wait for was seen since the last back edge */
    enum stop stop;
    uint32_t split_count;
    struct split splits[LANES];
    struct block *block;
    struct worker *worker;
    uint32_t index;            /* of the warp in its block */
    struct copy_queue *copies; /* of cp.async; NULL: none yet */
    uint32_t cluster_arrived;  /* lanes that have, at the cluster's barrier */
    uint8_t *local;            /* 16-byte granules, interleaved by lane */
    uint32_t local_bytes;      /* a thread */
    struct frame root;
    uint8_t *root_regs;
    bool filled;          /* the root's special rows, in this launch */
    uint64_t filled_for;  /* number of the block */
    struct frame *frames; /* of calls in progress */
    struct warp *next_free;
    uint64_t clock, clock_base; /* instructions: since the last check, before it */
};

enum { BARRIERS = 16 };

struct barrier {
    uint32_t arrived;  /* threads */
    uint32_t expected; /* 0: all live threads */
    bool reduce_and, reduce_or;
    uint32_t reduce_count;
};

enum { L1_LINES = 512 }; /* of 128 bytes */

struct block {
    struct worker *worker;
    uint64_t number;
    uint32_t id[3];
    struct warp *warps[32];
    uint32_t warp_count, warps_done, threads;
    uint32_t live_threads;
    struct barrier barriers[BARRIERS];
    uint8_t *shared, *shared_shadow;
    uint32_t shared_bytes;
    uint32_t l1_stamp; /* lines with another stamp are an earlier block's: empty */
    struct {
        uint64_t line;
        uint32_t stamp;
        uint8_t sectors;
    } l1[L1_LINES];
    struct block *next;
    uint32_t ended;    /* warps that have */
    uint32_t awaiting; /* barriers at which threads wait, a bit each */
    struct cluster *cluster;
    uint32_t rank;           /* in the cluster */
    bool ran;                /* in its last turn */
    struct race_block *race; /* NULL: races are not looked for */
    /* With diagnostics on: a thread that did something behind its last barrier and ended;
     * in: NULL: none. */
    struct {
        const struct insn *in;
        const struct program *program;
        uint32_t thread;
    } left;
};

enum { HIT_SLOTS = 512, HOT_LINES = 1024, RETIRED_MAX = 16 };

struct race;
struct race_block;

struct worker {
    struct machine *machine;
    struct run *run;
    struct allocation *hits[HIT_SLOTS];
    struct tally *tallies;
    uint32_t tally_max;
    struct site_counts *sites;
    uint32_t site_max;
    uint64_t hot[HOT_LINES]; /* atomics by the line they are on, hashed; if has_hot */
    bool has_hot;
    struct counters counters; /* what is counted at no site */
    uint64_t insns_unflushed;
    uint32_t lut[8]; /* of the lop3 being executed */
    struct warp *free_warps;
    struct block *free_blocks;
    struct cluster *free_cluster; /* one that nobody uses; NULL: none */
    struct fault fault;
    uint64_t fault_block; /* UINT64_MAX: none */
    struct fault notices[NOTICES_MAX];
    uint32_t notice_count;
    char *asserted; /* what a failed assertion prints; NULL: none ever failed */
    size_t asserted_bytes;
    uint8_t *params;
};

/* One launch in progress. */
struct run {
    struct machine *machine;
    struct kernel *kernel;
    const struct launch *launch;
    uint64_t block_total;
    uint32_t cluster[3]; /* blocks of a cluster in each dimension; 1, 1, 1 */
    uint32_t threads_per_block, warps_per_block, shared_bytes;
    uint32_t dynamic_offset;  /* where dynamic shared memory begins */
    uint32_t reserved_offset; /* where the system's part does, RESERVED_SHARED bytes; of
                                 no meaning unless kernel->reserved_shared */
    uint32_t number;
    bool checks;
    _Atomic uint64_t next_block, insns_used, fault_block;
    uint64_t chunk;
    uint64_t budget;
};

struct machine {
    struct machine_options options;
    struct memory memory;
    struct module *modules;
    struct counters counters;
    const struct device_model *device;
    int current; /* the device whose work is done now */
    double clock_ns[MACHINE_DEVICES_MAX], host_clock_ns; /* clocks.c */
    atomic_bool interrupted;
    bool avx2;
    int thread_count;
    uint32_t launches;
    uint32_t heap_count;         /* allocations by malloc() in kernels */
    struct kernel_cost *retired; /* kernels of modules that are gone; NULL: none yet */
    uint32_t retired_count;
    uint64_t grid_workspace; /* device address; 0 before the first cooperative launch */
    char *output;
    size_t output_len, output_max;
    const char *asserted; /* by the last launch: its worker's, or NULL */
    size_t asserted_bytes;
    struct pool *pool;
    struct texture_table *textures; /* NULL: none was ever made */
    struct worker *workers;
    struct race *race;                 /* NULL before the first launch with diagnostics */
    struct work_count *work, own_work; /* the owner's, or own_work where there is none */
};

extern struct allocation
    no_allocation; /* of no bytes: what an empty cache slot points to */

static inline unsigned
lane_count(uint32_t mask)
{
    if (mask == FULL_MASK)
        return LANES;
    /* Not __builtin_popcount: without the popcnt instruction that is a call. */
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return (((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;
}

static inline uint8_t *
local_at(const struct warp *w, unsigned lane, uint64_t offset)
{
    return w->local + (offset >> 4) * (16 * LANES) + lane * 16 + (offset & 15);
}

/* fault.c: each fills the worker's fault and returns NULL with w->stop = STOP_FAULT. */
const struct insn *fault_at(struct warp *w, const struct insn *in, unsigned lane,
                            enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
const struct insn *fault_access(struct warp *w, const struct insn *in, unsigned lane,
                                enum ptx_space space, uint64_t address, uint32_t bytes,
                                bool is_write);
const struct insn *fault_misaligned(struct warp *w, const struct insn *in, unsigned lane,
                                    enum ptx_space space, uint64_t address,
                                    uint32_t bytes, bool is_write);
/* What a GPU lets pass is told, but ends nothing. A worker keeps the first of each kind
 * and line. f: kind and what is said; the place is added. */
void notice_add(struct warp *w, const struct insn *in, unsigned lane,
                const struct fault *f);
void notice_uninitialized(struct warp *w, const struct insn *in, unsigned lane,
                          enum ptx_space space, uint64_t address, uint32_t bytes);
/* An access to shared memory that leaves the array which its address is formed from. */
void notice_out_of_array(struct warp *w, const struct insn *in, unsigned lane,
                         uint64_t address, uint32_t bytes, bool is_write);
/* The place in the user's source that code with this loc belongs to; NULL: unknown. */
const struct ptx_loc *user_loc(const struct ptx_module *m, const struct ptx_loc *loc);
const char *base_name(const char *path);
void fault_fill_access(struct fault *f, enum ptx_space space, uint64_t address,
                       uint32_t bytes, bool is_write);
/* Where an instruction stands: "vec.cu:7"; file and line may be NULL. */
void source_of(const struct module *mod, const struct ptx_insn *in, char *file,
               size_t size, int *line);
const struct ptx_insn *origin_of(const struct warp *w, const struct insn *in);
const struct ptx_insn *origin_in(const struct program *p, const struct insn *in);
/* variables.c: "tile, byte 12" of an offset of shared memory; false: no static array. */
bool shared_name(const struct kernel *k, uint64_t offset, char *out, size_t size);
/* The same of one variable, without the byte. */
void plain_name(const char *mangled, char *out, size_t size);
bool variable_name(const struct machine *m, const struct allocation *a, char *out,
                   size_t size);
void fault_text(struct fault *f, enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fault_complete(struct fault *f);

/* warp.c */
void warp_run(struct warp *w);
void warp_start(struct warp *w, struct block *b, uint32_t index);
struct warp *warp_get(struct worker *wk);
void warp_put(struct warp *w);
void warp_destroy(struct warp *w);
int local_reserve(struct warp *w, uint64_t bytes);
/* Parks the running split; its handler then returns NULL. */
struct split *warp_park(struct warp *w, const struct insn *pc, enum split_state state);
const struct insn *op_run(struct warp *w, const struct insn *in);
const struct insn *op_jump(struct warp *w, const struct insn *in);
const struct insn *op_bra(struct warp *w, const struct insn *in);
const struct insn *op_brx(struct warp *w, const struct insn *in);
const struct insn *op_guard(struct warp *w, const struct insn *in);
const struct insn *op_exit(struct warp *w, const struct insn *in);
const struct insn *op_ret(struct warp *w, const struct insn *in);
const struct insn *op_call(struct warp *w, const struct insn *in);
const struct insn *op_unsupported(struct warp *w, const struct insn *in);

/* block.c */
enum block_result { BLOCK_DONE, BLOCK_YIELD, BLOCK_FAULT };
struct block *block_get(struct worker *wk, uint64_t number);
void block_put(struct block *b);
enum block_result block_run(struct block *b);
void block_destroy(struct block *b);
/* Says that nobody can go on. */
void fault_deadlock(struct block *b);
void barrier_check(struct block *b, uint32_t id);
void barriers_recheck(struct block *b);
void barrier_note_exit(struct warp *w, const struct insn *in);
/* sync.c: what bar.red gives a split that is let go. */
void barrier_result(const struct split *s, const struct barrier *bar);

/* registers.c: 32-bit registers of a thread. */
uint32_t registers_estimate(const struct ptx_func *f);

/* costs.c */
/* Memory for a launch's sums; -1: there is none. */
int costs_begin(struct kernel *k);
/* Adds up what the workers counted, has the time modelled, and books both to the kernel
 * and its lines. shape is complete but for nothing. */
struct launch_shape;
void costs_end(struct machine *m, struct kernel *k, const struct launch_shape *shape,
               int workers);
void costs_free(struct kernel *k);
/* Before a kernel goes: keeps what it has cost, of the RETIRED_MAX costliest. */
void costs_retire(struct machine *m, const struct kernel *k);

/* launch.c */
int budget_check(struct warp *w, const struct insn *in);
void pool_free(struct machine *m);

/* lanes_*.c: the handler for an arithmetic instruction on whole rows; NULL: none. */
struct lane_key {
    enum ptx_op op;
    enum ptx_type type, from; /* from: cvt's source, set's and wide's operand type */
    uint32_t variant;
};
/* ROWS: what scalar.c would do lane by lane; NEAREST to UP: cvt to an integer, by
 * rounding. */
enum lane_variant {
    LANE_PLAIN,
    LANE_HI,
    LANE_WIDE,
    LANE_APPROX,
    LANE_ROWS,
    LANE_NEAREST,
    LANE_ZERO,
    LANE_DOWN,
    LANE_UP,
};
struct lane_entry {
    uint8_t op, type, from, variant;
    handler fn;
};
extern const struct lane_entry lanes_generic[], lanes_avx2[];
extern const size_t lanes_generic_count, lanes_avx2_count;
handler lane_find(const struct machine *m, struct lane_key key);

/* Comparison handlers: setp and set, by operator and type. */
enum compare {
    CMP_EQ,
    CMP_NE,
    CMP_LT,
    CMP_LE,
    CMP_GT,
    CMP_GE,
    CMP_EQU,
    CMP_NEU,
    CMP_LTU,
    CMP_LEU,
    CMP_GTU,
    CMP_GEU,
    CMP_NUM,
    CMP_NAN,
};

/* access.inc */
enum {
    ACCESS_SIGNED = 1,
    ACCESS_WAITS = 2,        /* volatile, acquire, relaxed: what spinning loops read */
    ACCESS_WIDE_ADDRESS = 4, /* the address register has 64 bits */
    ACCESS_FRAME = 8,        /* relative to the frame's local memory */
    ACCESS_QUIET = 16,       /* no race with certain others: race_static.c */
    ACCESS_RELEASES = 32,    /* st.release */
};
struct access {
    int64_t offset;
    uint32_t address;  /* row; UINT32_MAX: none, the offset is all */
    uint32_t rows[8];  /* of the data */
    uint8_t elements;  /* 1, 2, 4, 8 */
    uint8_t bytes;     /* of an element in memory */
    uint8_t row_bytes; /* of an element of a register */
    uint8_t flags;
    uint32_t slot;
    enum ptx_space space;
    /* Shared memory: the array that the address is formed from; NULL: not known. */
    const struct ptx_var *array;
    uint64_t array_at, array_end; /* without an array: everything */
};
/* What one element of the register's own width allows: its width compiled in. */
enum access_form { FORM_ANY, FORM_2, FORM_4, FORM_8, ACCESS_FORMS };
/* Accesses of which each eight lanes in a row are consecutive or all the same. */
enum { GROUP = 8, GROUPS = LANES / GROUP };
struct lane_groups {
    uint64_t first[GROUPS]; /* address of the first lane */
    bool uniform[GROUPS];
    uint64_t least, most; /* of all lanes' addresses */
};
struct access_ops {
    handler load[7][ACCESS_FORMS], store[7][ACCESS_FORMS]; /* by enum ptx_space */
    handler load_kernel_param; /* without an address register */
    /* Rows of special registers, written as wide as the next instruction reads them: one
     * value in all lanes; consecutive ones of 32 bits. */
    void (*fill_row)(uint8_t *row, uint64_t value, uint32_t bytes);
    void (*count_row)(uint32_t *row, uint32_t first);
};
extern const struct access_ops access_generic, access_avx2;
const struct access_ops *access_ops(const struct machine *m);
/* The handler of a load or store; NULL: there is none in this space. */
handler access_handler(const struct machine *m, const struct access *ac,
                       enum ptx_space space, bool is_store);
/* Counts a request of these lanes to global memory, at a site: sectors and the block's L1
 * filter. */
void count_global(struct warp *w, uint32_t slot, const uint64_t *addresses,
                  uint32_t mask);
void count_global_range(struct warp *w, uint32_t slot, uint64_t first, uint64_t bytes);
/* The same from the sectors in the order of the lanes, numbered from a line on; count: 1
 * to LANES. */
void count_global_sectors(struct warp *w, uint32_t slot, uint64_t first_line,
                          const uint32_t *sectors, uint32_t count);
void count_shared(struct warp *w, uint32_t slot, const uint64_t *addresses, uint32_t mask,
                  uint32_t bytes);
/* The same of atomics; leaders: of the lanes on each address, one. */
void count_atomics(struct warp *w, uint32_t slot, const uint64_t *addresses,
                   uint32_t mask, uint32_t leaders);
static inline struct site_counts *
site_counts(struct warp *w, uint32_t slot)
{
    return &w->worker->sites[slot];
}
/* Host bytes of one lane's access in any space (GENERIC decides by address); NULL: fault
 * raised. */
/* What is read, where checks are on, in place of a byte that was never written: as a
 * number of any type it is large, positive and finite, so that a program whose answer
 * depends on it goes wrong, and always in the same way, while one that drops it does not.
 */
static inline void
fill_unwritten(uint8_t *host, const uint8_t *shadow, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        if (shadow[i] == 0)
            host[i] = 0x7b;
}
/* Is there something to tell of a read? Where a part of it was written, it is a structure
 * that is moved with its padding, and nothing is. */
static inline bool
none_written(const uint8_t *shadow, uint32_t bytes)
{
    uint8_t any = 0;

    for (uint32_t i = 0; i < bytes; i++)
        any |= shadow[i];
    return any == 0;
}
uint8_t *access_lane(struct warp *w, const struct insn *in, unsigned lane, uint32_t slot,
                     enum ptx_space space, uint64_t address, uint32_t bytes,
                     bool is_write);
struct allocation *access_find(struct warp *w, uint32_t slot, uint64_t address);

/* scalar.c: one lane at a time, any number of operands: x = flags, y = packed row widths.
 */
const struct insn *op_scalar(struct warp *w, const struct insn *in);

/* The rest of the handlers, by file. */
struct decoder;

/* sync.c */
enum sync_kind {
    SYNC_SHFL,
    SYNC_VOTE,
    SYNC_MATCH,
    SYNC_REDUX,
    SYNC_WARP,
    SYNC_ACTIVE,
    SYNC_MATRIX,
    SYNC_ELECT,
};

#endif

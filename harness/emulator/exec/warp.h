/*
 * A warp: its divergent paths and its frames of calls (warp.c, call.c, frame.c).
 *
 * Control flow follows Volta's rules. A warp is a set of paths, each with a position, a
 * frame and a mask of lanes. One path runs, the others wait in warp->paths. The path at
 * the lowest position of the lowest epoch runs, so that lanes meet again at joins. Paths
 * at one position merge.
 *
 * Where paths may meet or park, the code has a RUN header. It counts the straight run of
 * instructions behind it, and compares the position with warp->next_stop.
 *
 * Backward branches use up a budget. When it is used up, the path's epoch grows and other
 * paths go first. So spin locks and look-back loops progress, and always in the same way.
 */
#ifndef EMULATOR_WARP_H
#define EMULATOR_WARP_H

#include "code.h"
#include "cost/block_cost.h"
#include "lane.h"

struct block;
struct worker;
struct copy_queue; /* copy_async.c */
struct undefined;  /* ops/undefined.h */

enum { BRANCH_BUDGET = 4096 }; /* backward branches before other paths get their turn */

struct frame {
    struct frame *parent;
    const struct program *program;
    const struct insn *call_site, *return_to; /* in the parent */
    const struct extra *call;                 /* NULL for the kernel itself */
    uint8_t *regs;                            /* program->frame_bytes bytes */
    uint32_t local_base;
    uint32_t mask; /* lanes that have not returned */
    uint32_t depth;
    struct frame *next, **link; /* in the warp's list */
};

enum path_state { PATH_READY, PATH_AT_BARRIER, PATH_AT_SYNC, PATH_AT_CLUSTER };

struct path {
    const struct insn *pc;
    struct frame *frame;
    uint32_t mask, epoch;
    enum path_state state;
    uint32_t barrier;   /* AT_BARRIER: its number */
    uint32_t sync_mask; /* AT_SYNC: the lanes that must come */
    uint32_t sync_kind; /* AT_SYNC: enum sync_kind */
};

enum stop { STOP_NONE, STOP_RESCHEDULE, STOP_YIELD, STOP_FAULT };

struct warp {
    uint8_t *regs; /* of the current path's frame */
    uint32_t mask; /* lanes executing now */
    uint32_t live; /* lanes that have not exited */
    /* With checks on: lanes that have written to memory that others see, used an atomic,
     * or come to a barrier of the block. */
    uint32_t acted;
    const struct insn *next_stop;
    struct frame *frame;
    uint32_t epoch;
    int32_t branch_budget;
    bool spinning; /* since the last backward branch it did what spinning loops do */
    enum stop stop;
    uint32_t path_count;
    struct path paths[LANES]; /* those that wait */
    struct block *block;
    struct worker *worker;
    uint32_t index;              /* of the warp in its block */
    struct copy_queue *copies;   /* of cp.async; NULL: none yet */
    struct undefined *undefined; /* what is followed (ops/undefined.h); NULL: nothing */
    uint32_t cluster_arrived;    /* lanes that have arrived at the cluster's barrier */
    uint8_t *local;              /* 16-byte granules, interleaved by lane */
    uint32_t local_bytes;        /* a thread */
    struct frame root;
    uint8_t *root_regs;
    bool filled;          /* the root frame has its special lane vectors of this launch */
    uint64_t filled_for;  /* the number of the block for which it has them */
    struct frame *frames; /* of calls in progress */
    struct warp *next_free;
    uint64_t clock, clock_base; /* instructions since the last check, and before it */
    struct warp_clock path_clock;
    uint64_t met; /* its clock when it last came from others (links.h), in cycles */
    bool held;    /* it waits until no other warp's clock is earlier (order.h) */
    const struct insn
        *polled; /* what it read by last where it may be held; NULL: nothing */
    uint64_t polled_address;          /* by its first lane */
    const struct region_paths *ahead; /* paths of the region that the warp is in, none of
                                         which is in path_clock yet; NULL: none */
    uint32_t path_loads[ASSUMPTIONS]; /* on the path of that region, and not known to have
                                         missed L1 */
    uint32_t missed;     /* loads that L1 did not have, since that region began */
    uint64_t seen_ready; /* when the latest line comes that the request found in L1 */
};

/* The host's byte of a lane's local memory; an access crosses no 16-byte granule. */
static inline uint8_t *
local_at(const struct warp *w, unsigned lane, uint64_t offset)
{
    return w->local + (offset >> 4) * (16 * LANES) + lane * 16 + (offset & 15);
}

/* warp_get() takes a warp that the worker has kept, or makes one; NULL: the host has no
 * memory. warp_put() gives it back, warp_destroy() frees its memory. */
struct warp *warp_get(struct worker *wk);
void warp_put(struct warp *w);
void warp_destroy(struct warp *w);
void warp_start(struct warp *w, struct block *b, uint32_t index);

/* Executes until each path waits or has ended, or the warp stops. */
void warp_run(struct warp *w);

/* Parks the running path, to go on at pc. The handler then returns NULL. */
struct path *warp_park(struct warp *w, const struct insn *pc, enum path_state state);

/* Sets next_stop for a path that goes on at pc. That is where it may meet another: the
 * next place at which one waits. */
void warp_set_next_stop(struct warp *w, const struct insn *pc);

/* --- frame.c --------------------------------------------------------------- */

/* Gives each thread at least so many bytes of local memory. -1: that is too much, or the
 * host has no memory. */
int local_reserve(struct warp *w, uint64_t bytes);

/* Zeroes `bytes` bytes of each lane's local memory. from, bytes: multiples of 16. */
void local_clear(struct warp *w, uint32_t from, uint32_t bytes, uint32_t mask);

/* A frame that is not in the warp's list yet. NULL: the host has no memory. */
struct frame *frame_new(const struct program *p);
void frame_free(struct frame *f);

/* Writes the special lane vectors that change as often as `changes`, or more often.
 * `changes` is PER_LAUNCH, PER_BLOCK or PER_WARP. */
void frame_fill(struct warp *w, struct frame *f, unsigned changes);

/* --- handlers that the decoder itself puts into the code ------------------- */

const struct insn *op_run(struct warp *w, const struct insn *in);
const struct insn *op_jump(struct warp *w, const struct insn *in);
const struct insn *op_bra(struct warp *w, const struct insn *in);
const struct insn *op_brx(struct warp *w, const struct insn *in);
const struct insn *op_guard(struct warp *w, const struct insn *in);
const struct insn *op_guard_several(struct warp *w, const struct insn *in);
const struct insn *op_exit(struct warp *w, const struct insn *in);
const struct insn *op_ret(struct warp *w, const struct insn *in);
const struct insn *op_call(struct warp *w, const struct insn *in);
const struct insn *op_unsupported(struct warp *w, const struct insn *in);

#endif

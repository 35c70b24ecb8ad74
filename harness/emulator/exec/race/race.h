/*
 * The detector of data races, by happens-before; race.c explains the scheme. The first
 * part is for the rest of exec/, which calls it only where a block has a `race` (with
 * checks on). The second part is for the files race*.c.
 */
#ifndef EMULATOR_RACE_H
#define EMULATOR_RACE_H

#include "../ops/access.h"

#include <stddef.h>

/* --- what the machine calls --------------------------------------------------------- */

/* NULL: the host has no memory; then nothing looks for races. */
struct race *race_new(void);
void race_free(struct race *r);
void race_launch_begin(struct race *r, const struct run *run);

/* Has it found all races of the launch? Where memory, tables or work are used up, it
 * gives up. NULL: nothing looked for races. */
bool race_saw_all(const struct race *r);

/* The detector's part of a block. A block object has one, which begins anew for each
 * block that the object becomes. */
struct race_block *race_block_new(struct race *r);
void race_block_begin(struct block *b);
void race_block_free(struct race_block *rb);
void race_forget(struct race_shadow *s); /* when its allocation is freed */

enum race_kind { RACE_READ, RACE_WRITE, RACE_ATOMIC };

/* One access, before it happens: the lanes of w->mask access `bytes` bytes at ea[lane].
 * That is an offset in shared memory, or a global or generic address. With has_access,
 * in->access says where the values of a store are. Without it, no two values count as
 * equal. */
struct race_request {
    const uint64_t *ea;
    uint32_t bytes, slot;
    enum ptx_space space;
    enum race_kind kind;
    bool strong; /* volatile, relaxed, acquire or release: two such make no race */
    bool quiet;  /* ACCESS_QUIET */
    bool has_access;
};
void race_access(struct warp *w, const struct insn *in, const struct race_request *q);

/* The same for a load or store, which in->access describes. */
void race_load_store(struct warp *w, const struct insn *in, enum ptx_space space,
                     const uint64_t *ea, bool is_store);

/* The same for a plain load by a whole warp, all from one memory of space GLOBAL, CONST
 * or SHARED. Lane i has read at first + i * step, where step is the bytes of the access
 * or 0; or each eight lanes have done so. */
void race_load_run(struct warp *w, const struct insn *in, enum ptx_space space,
                   uint64_t first, uint32_t step);
void race_load_groups(struct warp *w, const struct insn *in, enum ptx_space space,
                      const struct lane_groups *g);

/* An asynchronous copy to shared memory, of those bytes at q->ea[lane], begins, and ends
 * (race_copy.c). Between the two nobody may access them. */
void race_copy_begin(struct warp *w, const struct insn *in, const struct race_request *q);
void race_copy_end(struct warp *w, const struct insn *in, const struct race_request *q);

/* These lanes of the warp have met: each knows what the others have done. */
void race_warp_sync(struct warp *w, uint32_t mask);

/* A barrier of the block. Lanes arrive, and may wait. The barrier is whole when it
 * completes for all live threads of the block; otherwise each path that has waited leaves
 * by itself, and then the barrier is done. */
void race_barrier_arrive(struct warp *w, uint32_t id, uint32_t mask);
void race_barrier_whole(struct block *b, uint32_t id);
void race_barrier_leave(struct warp *w, uint32_t id, uint32_t mask);
void race_barrier_done(struct block *b, uint32_t id);

/* Fences, and the two ends of an edge, which are atomics and strong accesses. A .release
 * publishes everything (RACE_EVERYTHING). Another atomic does so if a fence precedes it
 * (RACE_IF_FENCED). A strong store without a fence tells at least that earlier reads are
 * done (RACE_READS). */
enum race_publishes { RACE_IF_FENCED, RACE_READS, RACE_EVERYTHING };
void race_fence(struct warp *w);
void race_release(struct warp *w, unsigned lane, uint64_t address,
                  enum race_publishes how);
void race_acquire(struct warp *w, unsigned lane, uint64_t address);

/* --- inside race*.c ----------------------------------------------------------------- */

enum race_scope { RACE_WARP, RACE_BLOCK, RACE_GRID };

/* The last access to some bytes, or several accesses without an order between them. A
 * record is written whole, by words: the processor waits where it reads smaller pieces
 * that were just written as one larger one. */
struct race_record {
    union {
        struct {
            uint32_t stamp; /* of the latest access; 0: there is none */
            uint32_t block;
            uint32_t lanes;
            uint16_t slot;
            uint8_t warp;
            uint8_t scope : 2, strong : 1, quiet : 1, atomic : 1;
            uint8_t silent : 1; /* a write of the value that was there: no race with
                                   reads */
            /* scope BLOCK, GRID: one of the others, from another warp or block */
            uint32_t other_block;
            uint16_t other_slot;
            uint8_t other_warp, other_lane;
        };
        uint64_t words[3];
    };
};
/* Where fields lie in their words, in bits, by the ABI of x86-64. */
enum {
    RACE_BLOCK_AT = 32, /* in the first */
    RACE_SLOT_AT = 32,  /* in the second, behind lanes */
    RACE_WARP_AT = 48,
    RACE_SCOPE_AT = 56,
    RACE_STRONG_AT = 58,
    RACE_QUIET_AT = 59,
    RACE_ATOMIC_AT = 60,
    RACE_SILENT_AT = 61,
    RACE_OTHER_LANE_AT = 56, /* in the third */
};
_Static_assert(offsetof(struct race_record, block) == 4 &&
                   offsetof(struct race_record, lanes) == 8 &&
                   offsetof(struct race_record, slot) == 12 &&
                   offsetof(struct race_record, warp) == 14 &&
                   offsetof(struct race_record, other_lane) == 23 &&
                   sizeof(struct race_record) == 24,
               "see the list above");

/* The warps of a record of scope BLOCK, each with its own last access (race_party.c). */
struct race_party {
    struct race_party *next;      /* of the same cell */
    const struct race_record *of; /* NULL: nobody's now */
    uint32_t warps;               /* mask; the others' entries mean nothing */
    uint32_t stamps[32], lanes[32];
    uint16_t slots[32];
};

struct race_cell {
    struct race_record w, r;    /* plain writes; reads */
    struct race_record s;       /* strong writes */
    struct race_party *parties; /* at most one for each of these */
};

enum { RACE_LINE = 128, RACE_WORDS = RACE_LINE / 4 };

enum race_state { RACE_COMPACT, RACE_BY_WORD, RACE_BY_BYTE };

/* Reads of a line that nobody has written since the last barrier: that of the block for
 * shared memory, the launch for global memory. It is known which words were read, and who
 * read, but not who read which word. any, many, late and part are masks of words. */
struct race_quick {
    struct race_record r;
    uint32_t any;   /* words that somebody has read */
    uint32_t many;  /* words that two have read: two threads, if r is of one warp; two
                       warps, if it is of a block; else two blocks. Not all are known. */
    uint32_t late;  /* words that were read at r.stamp; the others were read before */
    uint32_t first; /* the low bits of lane 0's address, if each lane read its own
                       element */
    uint32_t part;  /* words that nobody has read as a whole: a write to one may be to
                       its other bytes */
    uint8_t bytes;  /* of an element; 0: the lanes did not read their own elements */
};

/* What is remembered of 128 bytes. In the state COMPACT, w and r are about all of them,
 * unless the line is fresh; lane i of the warp accessed the bytes from lane0 + (i << log)
 * on. `quick` comes first and fills a line of the host's cache: reads of unwritten memory
 * need nothing else. */
struct race_line {
    struct race_quick quick;
    uint32_t touched;        /* stamp of the last access */
    uint8_t state, room;     /* enum race_state, now and as far as cells has room */
    bool fresh;              /* w and r are older than anything that counts */
    struct race_cell *cells; /* NULL: none; a line with strong writes has some */
    struct race_record w, r; /* plain writes; reads */
    int16_t lane0_w, lane0_r;
    uint8_t log_w, log_r;
    uint32_t silent; /* mask of words that w left as they were */
    uint32_t made;   /* BY_WORD, BY_BYTE: mask of words that have cells; w and r are about
                        the others */
};
_Static_assert(sizeof(struct race_line) == 128, "two lines of the host's cache");

/* A vector clock: what is known of others beyond what barriers of the block and the warp
 * tell. The key of an entry is a thread of the block, VC_WARP + a warp, or VC_ALL for
 * all. Known are its accesses with smaller stamps than `stamp`, and its reads with
 * smaller stamps than `reads`, which is not less. */
enum { VC_WARP = 1024, VC_ALL = 2047 };
struct race_vc_entry {
    uint32_t block, key, stamp, reads;
};
struct race_vc {
    uint32_t all;       /* all accesses of everybody with smaller stamps are known */
    uint32_t all_reads; /* the same for reads alone; may be less than all */
    uint32_t count, max;
    struct race_vc_entry *entries; /* by block, key */
};

struct race_warp {
    uint32_t floor; /* lanes know of each other's accesses with smaller stamps */
    uint32_t stamp;
    uint32_t (*seen)[LANES]; /* [t][u]: what t knows of u; NULL: floor, no more */
    struct race_vc *vc;      /* what all lanes know of others; NULL: nothing */
    struct race_vc *lane_vc[LANES];
};

struct race_block {
    struct race *race;
    uint32_t start, floor;
    bool fenced;     /* a thread of this block has executed a fence */
    bool knows;      /* some vc of this block is not empty */
    bool has_clocks; /* some vc of this block is not NULL */
    struct race_vc *vc;
    struct race_warp warps[32];
    struct race_vc *barriers[BARRIERS];
    struct race_shadow shared;
    /* Words of shared memory to which copies are under way (race_copy.c). */
    struct race_copier {
        uint16_t slot;
        uint8_t warp, lane : 5, is_copying : 1;
    } * copied;
    uint32_t copied_words;
    uint32_t copying; /* words; 0: nothing is under way */
};

enum {
    RACE_SITES = 65536,
    RACE_SYNC_MAX = 1 << 16,
    RACE_TOLD_MAX = 32,
    RACE_WORK_MAX = 2 << 20 /* of race->work */
};

struct race_site {
    const struct insn *in;
    const struct program *program;
};

struct race_sync {
    uint64_t block, address; /* block: 0 for global memory, else number + 1 */
    struct race_vc *vc;
};

struct race {
    uint32_t now, launch_floor;
    const struct run *run;
    struct race_site *sites; /* by slot */
    struct race_sync *syncs; /* hash table of RACE_SYNC_MAX */
    uint32_t sync_count;
    uint64_t work;       /* steps spent on vector clocks in this launch */
    uint64_t cell_bytes; /* of all cells */
    bool blind;          /* out of memory or table space: no more races are reported */
    bool exact;          /* shared memory has cells and parties (race_party.c) */
    struct {
        uint16_t a, b;
    } told[RACE_TOLD_MAX];
    uint32_t told_count;
};

/* race_clock.c: does the lane know of all accesses that the record stands for? is_read:
 * they are reads, of which more is known than of writes. */
bool race_knows(const struct warp *w, unsigned lane, const struct race_record *r,
                bool is_read);
void race_clock_reset(struct race_block *rb);
void race_syncs_reset(struct race *r);

/* race_launch.c: from now on, and in later launches of the kernel, it must be known who
 * has read which word of shared memory. */
void race_be_exact(struct race *r);

/* race_shadow.c */
/* Makes the lines of `bytes` bytes of memory; false: the host has none. */
bool race_lines_new(struct race *r, struct race_shadow *s, uint64_t bytes);
/* Makes the cells of a word, in a line that has cells, from what is known of the whole.
 */
void race_make_cells(struct race_line *line, unsigned word);
/* Gives the line room for cells; false: the host has no memory. */
bool race_expand(struct race *r, struct race_shadow *s, struct race_line *line,
                 bool by_byte);

/* The same for as many parties; NULL: the host has no memory. */
struct race_party *race_party_new(struct race *r, struct race_shadow *s);

/* race_copy.c: forgets the copies of a block, at its end or for a new one. */
void race_copies_reset(struct race_block *rb);

/* race_report.c */
struct race_event {
    const struct race_record *other;
    bool other_writes;
    bool is_copying;   /* the other is a copy that has not ended */
    uint32_t lanes;    /* of this warp, in the access that makes the race */
    uint64_t address;  /* of the first byte in question */
    bool same_instant; /* two lanes of one instruction */
    unsigned other_lane;
};
void race_report(struct warp *w, const struct insn *in, const struct race_request *q,
                 const struct race_event *e);

/* The warp has read what this one had written, and nothing ordered the two. A launch
 * without checks then takes the time of such chains (order.h). */
void race_note_read(const struct warp *w, bool global, uint32_t block, uint32_t warp);

#endif

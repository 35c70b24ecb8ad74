/*
 * Data races, found by happens-before: see race.c for the scheme. Shared by the files
 * race*.c; the rest of exec/ calls what the first part declares, and only where a block
 * has a `race` (diagnostics on).
 */
#ifndef EMULATOR_RACE_H
#define EMULATOR_RACE_H

#include "../ops/access.h"

#include <stddef.h>

/* --- what the machine calls --------------------------------------------------------- */

/* NULL: no memory, and then nothing is looked for. */
struct race *race_new(void);
void race_free(struct race *r);
void race_launch_begin(struct race *r, const struct run *run);

/* Of a block: made once, begun for every block that uses it. */
struct race_block *race_block_new(struct race *r);
void race_block_begin(struct block *b);
void race_block_free(struct race_block *rb);
void race_forget(struct race_shadow *s); /* of an allocation that is freed */

enum race_kind { RACE_READ, RACE_WRITE, RACE_ATOMIC };

/* Before the lanes of w->mask access `bytes` bytes at ea[lane]: shared-memory offsets,
 * global or generic addresses. For stores in->access says where the values are; other
 * instructions that write say RACE_WRITE with has_access false, and then no two values
 * are equal. */
struct race_request {
    const uint64_t *ea;
    uint32_t bytes, slot;
    enum ptx_space space;
    enum race_kind kind;
    bool strong; /* volatile, relaxed, acquire, release: may meet its like */
    bool quiet;  /* see ACCESS_QUIET */
    bool has_access;
};
void race_access(struct warp *w, const struct insn *in, const struct race_request *q);

/* A load or store, with what in->access says. */
void race_load_store(struct warp *w, const struct insn *in, enum ptx_space space,
                     const uint64_t *ea, bool is_store);

/* The same of plain loads by a whole warp that were seen to be regular and that found all
 * they read in one memory: lane i read at first + i * step (step: the bytes of the
 * access, or 0), or each eight lanes in that way. Space GLOBAL, CONST or SHARED. */
void race_load_run(struct warp *w, const struct insn *in, enum ptx_space space,
                   uint64_t first, uint32_t step);
void race_load_groups(struct warp *w, const struct insn *in, enum ptx_space space,
                      const struct lane_groups *g);

/* Lanes of a warp have met. */
void race_warp_sync(struct warp *w, uint32_t mask);

/* A barrier of the block: lanes arrive (and may wait); it completes for all live threads,
 * or for those of some; paths that wait are let go one by one. */
void race_barrier_arrive(struct warp *w, uint32_t id, uint32_t mask);
void race_barrier_whole(struct block *b, uint32_t id);
void race_barrier_leave(struct warp *w, uint32_t id, uint32_t mask);
void race_barrier_done(struct block *b, uint32_t id);

/* Fences; atomics and volatile accesses as the two ends of an edge. How much the
 * releasing end publishes: by its own semantics (.release) all; else all if there is a
 * fence, and a plain strong store without one tells at least that earlier reads are
 * done. */
enum race_publishes { RACE_IF_FENCED, RACE_READS, RACE_EVERYTHING };
void race_fence(struct warp *w);
void race_release(struct warp *w, unsigned lane, uint64_t address,
                  enum race_publishes how);
void race_acquire(struct warp *w, unsigned lane, uint64_t address);

/* --- inside race*.c ------------------------------------------------------------------
 */

enum race_scope { RACE_WARP, RACE_BLOCK, RACE_GRID };

/* Who accessed some bytes last, or the several who did without an order between them.
 * Written whole, by words: where smaller pieces are read again as larger ones, the
 * processor waits for them to reach its cache. */
struct race_record {
    union {
        struct {
            uint32_t stamp; /* 0: nobody; of several, the latest */
            uint32_t block;
            uint32_t lanes;
            uint16_t slot;
            uint8_t warp;
            uint8_t scope : 2, strong : 1, quiet : 1, atomic : 1;
            uint8_t silent : 1; /* a write of the value that was there: no race with
                                   reads */
            /* scope BLOCK, GRID: one more of them, from another warp or block */
            uint32_t other_block;
            uint16_t other_slot;
            uint8_t other_warp, other_lane;
        };
        uint64_t words[3];
    };
};
/* Where fields lie in their words: offsets of bits, as x86-64 and its ABI have it. */
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

struct race_cell {
    struct race_record w, r; /* plain writes; reads */
    struct race_record s;    /* strong writes */
};

enum { RACE_LINE = 128, RACE_WORDS = RACE_LINE / 4 };

enum race_state { RACE_COMPACT, RACE_BY_WORD, RACE_BY_BYTE };

/* Reads of memory that nobody has written since the last barrier (of the block for
 * shared, of the launch for global memory): which words, and by whom without telling
 * which of them read which word; many: words that two threads have read; part: words
 * that nobody has read as a whole, so that a write to one may be to its other bytes. */
struct race_quick {
    struct race_record r;
    uint32_t any, many; /* masks of words */
    uint64_t first;     /* address of lane 0, if each lane read its own element */
    uint32_t part;      /* mask of words */
    uint8_t bytes;      /* of an element; 0: not so */
};

/* 128 bytes. COMPACT: w and r are about all of them, unless the line is fresh; lane i of
 * the warp accessed the bytes from lane0 + (i << log) on. What reads of unwritten memory
 * need comes first and fills a line of the host's cache. */
struct race_line {
    struct race_quick quick;
    uint32_t touched;        /* stamp of the last access */
    uint8_t state, room;     /* enum race_state; room: what cells has room for */
    bool fresh;              /* w and r are older than anything that counts */
    struct race_cell *cells; /* a line with strong writes has them */
    struct race_record w, r; /* plain writes; reads */
    int16_t lane0_w, lane0_r;
    uint8_t log_w, log_r;
    uint32_t silent; /* mask of words that w left as they were */
    uint32_t made;   /* BY_WORD, BY_BYTE: words that have cells; the others are as w and r
                        say */
};
_Static_assert(sizeof(struct race_line) == 128, "two lines of the host's cache");

/* What is known of others, beyond what barriers of the block and the warp tell. key: a
 * thread of the block, VC_WARP + a warp, or VC_ALL: its accesses with smaller stamps, and
 * its reads alone with smaller stamps than `reads` (not less than stamp). */
enum { VC_WARP = 1024, VC_ALL = 2047 };
struct race_vc_entry {
    uint32_t block, key, stamp, reads;
};
struct race_vc {
    uint32_t all;       /* everybody's accesses with smaller stamps */
    uint32_t all_reads; /* the same of reads alone; may be less than all */
    uint32_t count, max;
    struct race_vc_entry *entries; /* by block, key */
};

struct race_warp {
    uint32_t floor; /* lanes know of each other's accesses with smaller stamps */
    uint32_t stamp;
    uint32_t (*seen)[LANES]; /* [t][u]: what t knows of u; NULL: only floor */
    struct race_vc *vc;      /* NULL: nothing */
    struct race_vc *lane_vc[LANES];
};

struct race_block {
    struct race *race;
    uint32_t start, floor;
    bool fenced, knows; /* knows: some vc of this block is not empty */
    bool has_clocks;    /* something below is not NULL */
    struct race_vc *vc;
    struct race_warp warps[32];
    struct race_vc *barriers[BARRIERS];
    struct race_shadow shared;
};

enum { RACE_SITES = 65536, RACE_SYNC_MAX = 1 << 16, RACE_TOLD_MAX = 32 };

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
    uint64_t work; /* spent on vector clocks in this launch */
    uint64_t cell_bytes;
    bool blind; /* out of memory or table space: races are not told any more */
    struct {
        uint16_t a, b;
    } told[RACE_TOLD_MAX];
    uint32_t told_count;
};

/* race_clock.c: does the lane know of all that the record stands for? is_read: of reads,
 * which more is known of than of writes. */
bool race_knows(const struct warp *w, unsigned lane, const struct race_record *r,
                bool is_read);
void race_clock_reset(struct race_block *rb);
void race_syncs_reset(struct race *r);

/* race_shadow.c */
/* Lines for `bytes` bytes of memory; false: no memory. */
bool race_lines_new(struct race *r, struct race_shadow *s, uint64_t bytes);
/* Of a line that has cells: makes those of a word from what is known of the whole. */
void race_make_cells(struct race_line *line, unsigned word);
/* Gives the line room for cells; false: no memory. */
bool race_expand(struct race *r, struct race_shadow *s, struct race_line *line,
                 bool by_byte);

/* race_report.c */
struct race_event {
    const struct race_record *other;
    bool other_writes;
    uint32_t lanes;    /* of the warp, now */
    uint64_t address;  /* of the first byte in question */
    bool same_instant; /* two lanes of one instruction */
    unsigned other_lane;
};
void race_report(struct warp *w, const struct insn *in, const struct race_request *q,
                 const struct race_event *e);

#endif

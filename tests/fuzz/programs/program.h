/*
 * Random programs for the emulated GPU: what fuzz_programs.c runs several ways.
 *
 *   generate.c   bytes -> a program, always a valid one
 *   print.c      a program -> PTX
 *   model.c      a program -> what its kernel must leave in memory
 *   values.c     what one arithmetic instruction makes of its operands
 *
 * A program is structured (sequences, branches, loops, calls), so the model can run it
 * with a set of active threads, one statement at a time, without any of the emulator's
 * machinery: no program counters, no reconvergence, no rows. What threads can see of each
 * other is limited to what the ISA defines: shared memory between barriers, shuffles and
 * votes where all threads of the warp are, atomics whose order does not show.
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BLOCKS = 5,
    THREADS = 72, /* of a block: the last warp has 8 */
    WARP = 32,
    REGS = 6, /* of a class */
    STATEMENTS_MAX = 160,
    FUNCTIONS = 2,
    DEPTH_MAX = 3,
    LOCAL_WORDS = 8,  /* of a thread's array in local memory */
    ATOMIC_WORDS = 8, /* a word an operation: of a block, and of the grid */
};

/* Register classes: b16, b32, b64, f32, f64, predicates. Values are kept as their bits,
 * zero-extended. */
enum class { CLASS_H, CLASS_R, CLASS_D, CLASS_F, CLASS_G, CLASS_P, CLASSES };

/* One instruction of values.c. operands: the classes of the result and of the sources, a
 * letter each: h r d f g p. */
struct value_op {
    const char *text, *operands;
    uint64_t (*eval)(uint64_t a, uint64_t b, uint64_t c);
};
extern const struct value_op value_ops[];
extern const unsigned value_op_count;

uint64_t class_mask(enum class c); /* the bits that a register has */
enum class class_of(char letter);

enum kind {
    ST_VALUE,  /* guarded or not: reg[0] = op(reg[1], reg[2], reg[3]) */
    ST_IF,     /* pred: body, else other */
    ST_LOOP,   /* body, 1 to 4 times; by reg[0] or uniformly */
    ST_BREAK,  /* out of the loop for threads with pred */
    ST_SWITCH, /* body, other or nothing by reg[0] & 3 */
    ST_CALL,   /* reg[0] = function(reg[1], reg[2]) */
    ST_LOCAL,  /* local[reg[1] & 7] = reg[2]; reg[0] = local[reg[3] & 7] */
    /* where all threads of the block are: */
    ST_SHARED, /* own word = reg[1]; barrier; reg[0] = the word of thread + amount */
    ST_COUNT,  /* reg[0] = how many of the block's threads have pred */
    /* where all threads of the warp are: */
    ST_SHUFFLE,
    ST_VOTE,
    ST_REDUX,
    ST_MATCH,
    /* anywhere; the old value is not used */
    ST_ATOMIC_SHARED,
    ST_ATOMIC_GLOBAL,
};

struct statement {
    enum kind kind;
    const struct value_op *op;
    unsigned reg[4]; /* numbers within their class */
    unsigned pred;   /* of ST_VALUE: the guard */
    bool guarded, negated, uniform;
    unsigned variant, amount;
    struct statement *body, *other; /* first statements of sequences */
    struct statement *next;
};

struct random_program {
    struct statement *functions[FUNCTIONS], *kernel;
    struct statement pool[STATEMENTS_MAX];
    unsigned used;
};

/* The kernel's memory. In: for each thread, REGS words of 64 bits. Out: for each thread,
 * CLASSES * REGS words; then ATOMIC_WORDS words of the grid's, 32 bits each; then as many
 * of each block's. */
enum {
    ALL_THREADS = BLOCKS * THREADS,
    IN_WORDS = ALL_THREADS * REGS,
    OUT_WORDS = ALL_THREADS * CLASSES * REGS,
    OUT_ATOMICS = ATOMIC_WORDS * (1 + BLOCKS),
};
struct memory_image {
    uint64_t out[OUT_WORDS];
    uint32_t atomics[OUT_ATOMICS];
};
#define ATOMIC_START 0x40000001u /* what they hold before */

void program_generate(struct random_program *p, const uint8_t *data, size_t size);
/* The text is the caller's to free; NULL if there is no memory. */
char *program_print(const struct random_program *p);
void program_model(const struct random_program *p, const uint64_t *in,
                   struct memory_image *out);

/* ST_SHUFFLE, ST_VOTE, ST_REDUX, atomics: variant counts into these. */
#define SHUFFLES 4 /* idx within 8 lanes, up, down within 8 lanes, bfly */
#define VOTES 4    /* ballot, any, all, uni */
extern const char *const redux_names[], *const atomic_names[];
enum { REDUXES = 8, ATOMICS = ATOMIC_WORDS };

#endif

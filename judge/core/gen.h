/*
 * Input values, drawn by a counter-based generator: element i of a buffer is a pure
 * function of (generator, seed, i), so that any element can be made anywhere, on the host
 * or by a kernel, in any order, with the same bits.
 *
 * Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC'11, doi:10.1145/2063384.2063405. The key is the
 * judge's secret seed; the counter is (block number low, high, stream, 0). One block
 * makes four 32-bit words: element i uses word i % 4 of block i / 4. Where an element
 * needs a second word (float64, GEN_MOSTLY), it is the same word of the block whose
 * counter ends in 1.
 *
 * All inputs of one call are drawn with one seed: `stream` keeps their sequences apart,
 * and is what makes "the same as A" and "A negated" come out right.
 *
 * struct gen is plain data without pointers, fit to be a kernel parameter. gen_fn.h (the
 * element function itself) is compiled by gcc for the host and by nvcc for the arbiter's
 * fill kernel: written once, no floating-point contraction left to the compiler.
 */
#ifndef CORE_GEN_H
#define CORE_GEN_H

#include <stdint.h>

#define GEN_LIST_MAX 64

enum gen_kind {
    GEN_CONSTANT, /* a */
    GEN_UNIFORM,  /* real, a <= v < b: a + (b - a) * (word >> 8) * 2^-24 in float32 (but a
                     float64 buffer gets 53 bits), then rounded to the buffer's type */
    GEN_INTEGER,  /* whole numbers, a <= v <= b, (word * (b - a + 1)) >> 32 */
    GEN_NORMAL,   /* mean a, standard deviation b, Box-Muller on two words */
    GEN_RAMP,     /* a + b * i */
    GEN_LIST,     /* list[i % list_count] */
    GEN_IDENTITY, /* 1 where column == row of a matrix of `columns` columns, else 0 */
    GEN_MOSTLY, /* with probability `share` the value b, else GEN_INTEGER/UNIFORM c..d */
    GEN_CHOICE, /* list[0 .. list_count), with the running sums of their probabilities
                   behind them in list[list_count .. 2 * list_count) */
    GEN_ORDER, /* whole numbers from a on: each row of `columns` elements has the first of
                  a random order of `range` numbers, its own */
    GEN_SORTED, /* ascending in each row of `columns` elements: element k is drawn from
                   the k-th of `columns` equal parts of a..b; whole (and b included) if
                   `integer` */
};

struct gen {
    uint8_t kind;     /* enum gen_kind */
    uint8_t dtype;    /* enum dtype of the buffer */
    uint8_t integer;  /* GEN_MOSTLY: the rest are whole numbers; GEN_SORTED: all are */
    uint8_t negate;   /* the value's sign is turned at the end (B = -A) */
    uint32_t stream;  /* which parameter's sequence; another's for "the same as A" */
    uint64_t columns; /* GEN_IDENTITY, GEN_ORDER, GEN_SORTED */
    uint64_t range;   /* GEN_ORDER; and with scatter: the buffer's elements */
    uint64_t scatter; /* not 0: only as many elements, at random places, are as `kind`
                         says, and 1 where that is 0; all others are 0 */
    double a, b, c, d, share;
    uint32_t list_count;
    double list[GEN_LIST_MAX];
};

/* Fills dst[0..count) with elements first.. of the sequence, converted to g->dtype (round
 * to nearest even). Uses AVX2 where the CPU has it; the bits are the same without. */
void gen_fill(const struct gen *g, uint64_t seed, uint64_t first, uint64_t count,
              void *dst);

/* Random bits that no generator above makes: what output buffers hold before a call. */
void gen_poison(uint64_t seed, uint64_t bytes, void *dst);

/* One element of a buffer as a double (64-bit integers beyond 2^53 lose their low bits).
 */
double gen_load(uint8_t dtype, const void *src, uint64_t index);

/* dst[index] = value, rounded to the buffer's type. */
void gen_put(uint8_t dtype, double value, void *dst, uint64_t index);

#endif

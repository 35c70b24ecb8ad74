/*
 * Input values, drawn by a counter-based generator. Element i of a buffer is a pure
 * function of (generator, seed, i). Any element can therefore be made anywhere, on the
 * host or by a kernel, in any order, with the same bits.
 *
 * The generator is Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC'11, doi:10.1145/2063384.2063405. The
 * key is the judge's secret seed. The counter is (block number low, high, stream, 0). One
 * block makes four 32-bit words: element i uses word i % 4 of block i / 4. Where an
 * element needs a second word (float64, GEN_MOSTLY), it is the same word of the block
 * whose counter ends in 1.
 *
 * All inputs of one call are drawn with one seed, and `stream` keeps their sequences
 * apart. Two inputs with one stream have the same elements, as in "the same as A".
 *
 * struct gen is plain data without pointers, so that it can be a kernel's parameter. The
 * element functions (gen_fn.h) are compiled by gcc for the host and by nvcc for the
 * arbiter's fill kernel. The compiler may not contract floating-point operations in
 * either.
 */
#ifndef NUMBERS_GEN_H
#define NUMBERS_GEN_H

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
    GEN_CHOICE, /* a value of list[0 .. list_count). The running sums of the values'
                   probabilities are list[list_count .. 2 * list_count) */
    GEN_ORDER,  /* whole numbers from a on. Each row of `columns` elements has a random
                   order  of `range` numbers of its own, and holds the first numbers of it
                 */
    GEN_SORTED, /* ascending in each row of `columns` elements: element k is drawn from
                   the k-th of `columns` equal parts of a..b. With `integer` the numbers
                   are whole, and b is one of them */
};

struct gen {
    uint8_t kind;    /* enum gen_kind */
    uint8_t dtype;   /* enum dtype of the buffer */
    uint8_t integer; /* GEN_MOSTLY: numbers other than b are whole; GEN_SORTED: all are */
    uint8_t negate;  /* the value's sign is turned at the end (B = -A) */
    uint32_t stream; /* the parameter whose sequence it is; for "the same as A" it is A */
    uint64_t columns; /* GEN_IDENTITY, GEN_ORDER, GEN_SORTED */
    uint64_t range;   /* GEN_ORDER; with scatter, how many elements the buffer has */
    uint64_t scatter; /* 0: every element is as `kind` says. Else only this many elements
                         are, at random places, and all others are 0; where `kind` gives
                         0, such an element is 1 */
    double a, b, c, d, share;
    uint32_t list_count;
    double list[GEN_LIST_MAX];
};

/* Fills dst with `count` elements of the sequence from element `first` on, rounded to
 * nearest even in g->dtype. It uses AVX2 where the CPU has it; the bits are the same
 * without. */
void gen_fill(const struct gen *g, uint64_t seed, uint64_t first, uint64_t count,
              void *dst);

/* Fills dst with poison, the random bytes that output buffers hold before a call. No
 * generator above makes the same bytes. */
void gen_poison(uint64_t seed, uint64_t bytes, void *dst);

/* One element of a buffer as a double. A 64-bit integer beyond 2^53 loses its low
 * bits. */
double gen_load(uint8_t dtype, const void *src, uint64_t index);

/* Stores value as dst[index], rounded to the buffer's type. */
void gen_put(uint8_t dtype, double value, void *dst, uint64_t index);

#endif

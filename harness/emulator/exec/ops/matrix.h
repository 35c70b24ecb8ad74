/* The operations of the tensor cores. Only the files matrix*.c include this. */
#ifndef EMULATOR_MATRIX_H
#define EMULATOR_MATRIX_H

#include "../decode/emit.h"
#include "sync.h"

enum {
    MATRIX_ELEMENTS = 4096, /* of the largest matrix: m16n8k256's a */
    MATRIX_REGS = 16,       /* of the largest fragment */
};

/* The matrices of d = a * b + c. */
enum matrix { MATRIX_A, MATRIX_B, MATRIX_C };

/* How a fragment's elements lie in the registers of a warp. */
enum layout {
    LAYOUT_MMA,    /* of mma.sync, for all shapes but the next */
    LAYOUT_QUADS,  /* of mma.m8n8k4 of f16: each pair of quads makes one of four products
                    */
    LAYOUT_OPAQUE, /* of wmma, which PTX leaves to the implementation */
};

/* A matrix in registers: rows x columns elements of a type, spread over the lanes. */
struct fragment {
    enum ptx_type type;
    uint32_t rows, columns;
    uint32_t batch;    /* matrices of that size, one after the other: 1, or 4 quads */
    uint32_t regs;     /* a lane */
    uint32_t elements; /* a lane */
    uint32_t vector_of[MATRIX_REGS];
    const uint16_t
        *at; /* [lane * elements + i]: (batch * rows + row) * columns + column */
};

/* matrix.c */
unsigned matrix_bits(enum ptx_type t); /* of an element */
unsigned matrix_per_register(enum ptx_type t);
/* Element i of a lane's fragment, zero-extended. */
uint64_t fragment_get(const uint8_t *regs, const struct fragment *f, unsigned lane,
                      unsigned i);
void fragment_set(uint8_t *regs, const struct fragment *f, unsigned lane, unsigned i,
                  uint64_t bits);
int decode_fragment(struct decoder *d, const struct ptx_operand *o, struct fragment *f,
                    bool is_destination);
/* Makes the table of places; -1: the host has no memory. */
int fragment_place(struct decoder *d, struct fragment *f, enum matrix which,
                   enum layout layout, bool column_major);

/* Matrix operations need all lanes of a warp at one place (.aligned). false: some lanes
 * are elsewhere or have ended, and the warp has its fault. */
bool matrix_whole_warp(struct warp *w, const struct part *parts, uint32_t count);

struct matrix_shape {
    uint8_t m, n;
    uint16_t k;
};
/* The shape that an instruction names; NULL: it names none. */
const struct matrix_shape *matrix_shape(struct decoder *d, const struct ptx_insn *in);

/* matrix_sum.c: computes c = a * b + c, rounded as the tensor cores of an H200 round. a
 * is m x k, b is k x n, c is m x n. All are stored row by row; a and b are overwritten.
 */
struct matrix_sum {
    uint32_t m, n, k;
    enum ptx_type type;        /* of a: it decides how sums are made */
    enum ptx_type accumulator; /* of c */
    const uint8_t *present;    /* by element of a: 0: sparse a has none; NULL: has all */
};
void matrix_sum(const struct matrix_sum *s, float *a, float *b, float *c);

#endif

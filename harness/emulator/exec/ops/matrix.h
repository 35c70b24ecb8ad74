/* Shared by the files matrix*.c only: what an operation of the tensor cores is. */
#ifndef EMULATOR_MATRIX_H
#define EMULATOR_MATRIX_H

#include "../decode/emit.h"
#include "sync.h"

enum {
    MATRIX_ELEMENTS = 4096, /* of the largest matrix: m16n8k256's a */
    MATRIX_REGS = 16,       /* of the largest fragment */
};

/* Which matrix of d = a * b + c. */
enum matrix { MATRIX_A, MATRIX_B, MATRIX_C };

/* How a fragment's elements lie in the registers of a warp. */
enum layout {
    LAYOUT_MMA,    /* mma.sync's, of all shapes but: */
    LAYOUT_QUADS,  /* mma.m8n8k4 of f16: four products, one by each pair of quads */
    LAYOUT_OPAQUE, /* wmma's, which is ours to choose */
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
/* The table of places; -1: no memory. */
int fragment_place(struct decoder *d, struct fragment *f, enum matrix which,
                   enum layout layout, bool column_major);

/* These operations need all lanes of a warp at one place (.aligned): false and a fault if
 * some are elsewhere or have ended. */
bool matrix_whole_warp(struct warp *w, const struct part *parts, uint32_t count);

struct matrix_shape {
    uint8_t m, n;
    uint16_t k;
};
/* NULL: the instruction names none. */
const struct matrix_shape *matrix_shape(const struct ptx_insn *in);

/* matrix_sum.c: d = a * b + c of one matrix product as the tensor cores of an H200 round.
 * a: m x k, b: k x n, c: m x n, all row by row; d replaces c, a and b are scratch. */
struct matrix_sum {
    uint32_t m, n, k;
    enum ptx_type type;        /* of a, as far as it decides how sums are made */
    enum ptx_type accumulator; /* of d */
    const uint8_t *present;    /* a's elements that are there; NULL: all */
};
void matrix_sum(const struct matrix_sum *s, float *a, float *b, float *c);

#endif

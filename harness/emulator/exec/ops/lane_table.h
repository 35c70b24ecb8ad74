/*
 * Handlers that execute arithmetic on whole lane vectors: two tables of the same entries,
 * compiled from lanes.inc for AVX2 and for any x86-64.
 */
#ifndef EMULATOR_LANE_TABLE_H
#define EMULATOR_LANE_TABLE_H

#include "../code.h"

#include <stddef.h>

struct machine;

/* WHOLE: what scalar.c would do lane by lane; NEAREST to UP: cvt to an integer, by
 * rounding. */
enum lane_variant {
    LANE_PLAIN,
    LANE_HI,
    LANE_WIDE,
    LANE_APPROX,
    LANE_WHOLE,
    LANE_NEAREST,
    LANE_ZERO,
    LANE_DOWN,
    LANE_UP,
};

/* Comparisons of setp and set, which are setp's variants. */
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

/* How setp combines the comparison with c (insn.y). */
enum combine { COMBINE_AND, COMBINE_OR, COMBINE_XOR, COMBINE_NOT_C = 4 /* is added */ };

/* compare.c: the comparison that an instruction's modifiers name; -1: none. */
int compare_of(const struct ptx_insn *in);

struct lane_key {
    enum ptx_op op;
    enum ptx_type type, from; /* from: cvt's source, set's and wide's operand type */
    uint32_t variant;
};

struct lane_entry {
    uint8_t op, type, from, variant;
    handler fn;
};
extern const struct lane_entry lanes_generic[], lanes_avx2[];
extern const size_t lanes_generic_count, lanes_avx2_count;

/* The handler of an arithmetic instruction on whole lane vectors; NULL: none. */
handler lane_find(const struct machine *m, struct lane_key key);

#endif

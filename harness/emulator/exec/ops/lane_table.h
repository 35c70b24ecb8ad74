/*
 * The handlers of arithmetic on whole lane vectors. There are two tables with the same
 * entries: lanes.inc is compiled for AVX2 and for any x86-64.
 */
#ifndef EMULATOR_LANE_TABLE_H
#define EMULATOR_LANE_TABLE_H

#include "../code.h"

#include <stddef.h>

struct machine;

/* The form of an instruction. Without a WHOLE entry scalar.c would work lane by lane.
 * NEAREST to UP are the roundings of cvt to an integer. */
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

/* The comparisons of setp and set. They are the variants of setp. */
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

/* compare.c: the comparison that the modifiers of an instruction name; -1: they name
 * none. */
struct decoder;
struct ptx_insn;
int compare_of(struct decoder *d, const struct ptx_insn *in, enum ptx_type type);

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

/* The handler of an arithmetic instruction on whole lane vectors; NULL: there is none. */
handler lane_find(const struct machine *m, struct lane_key key);

#endif

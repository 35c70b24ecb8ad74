/*
 * What the instructions on textures (texture_ops.c) and on surfaces (surface_ops.c) have
 * in common: the decoded instruction, its handle, and its operands (texture_op.c). A
 * lane vector is named by its byte offset in the frame; UINT32_MAX says that the
 * instruction has none.
 */
#ifndef EMULATOR_TEXTURE_OP_H
#define EMULATOR_TEXTURE_OP_H

#include "../decode/emit.h"
#include "../warp.h"
#include "fetch.h"

#include <string.h>

struct texture_op {
    struct extra extra;
    /* lane vectors */
    uint32_t handle;         /* 64 bits */
    uint32_t data[4];        /* results of a load, or what is stored */
    uint32_t coordinates[3]; /* as many as the texture has dimensions */
    uint32_t layer, level;
    uint32_t ddx[3], ddy[3]; /* gradients; UINT32_MAX where there are none */
    uint32_t resident;       /* a predicate */
    /* textures */
    enum level_choice choice;
    bool integer, gather;
    uint8_t component;
    /* surfaces */
    enum { OUTSIDE_TRAPS, OUTSIDE_CLAMPS, OUTSIDE_IS_ZERO } outside;
    bool is_store, formatted;
    uint8_t elements, bytes; /* bytes of an element in memory */
    enum ptx_mod op;         /* sured; a query's property */
    enum ptx_type type;
    uint32_t slot;
};

static inline const struct texture_op *
texture_op_of(const struct insn *in)
{
    return (const struct texture_op *)(const void *)in->extra;
}

/* One lane's element of a vector, or 0 of a vector that is not there. */
static inline uint64_t
lane_value(const struct warp *w, uint32_t vector, unsigned lane, unsigned bytes)
{
    uint64_t v = 0;

    if (vector != UINT32_MAX)
        memcpy(&v, w->regs + vector + lane * bytes, bytes);
    return v;
}

static inline float
lane_float(const struct warp *w, uint32_t vector, unsigned lane)
{
    uint32_t bits = (uint32_t)lane_value(w, vector, lane, 4);
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline void
lane_result(struct warp *w, uint32_t vector, unsigned lane, uint32_t value)
{
    if (vector != UINT32_MAX)
        memcpy(w->regs + vector + lane * 4, &value, 4);
}

/* What a lane's handle names, and the allocation that holds its texels. NULL: the handle
 * names nothing, or its memory was freed, and the warp has its fault. */
const struct texture_info *texture_described(struct warp *w, const struct insn *in,
                                             unsigned lane, bool surface,
                                             struct allocation **memory);

/* --- decoding ------------------------------------------------------------ */

/* The .1d, .a2d, ... of an instruction. */
struct geometry {
    uint8_t dims;
    bool layered;
};

/* -1: the instruction names no geometry. */
int texture_geometry_of(struct decoder *d, const struct ptx_insn *in, struct geometry *g);

/* An operation without operands, and its site. NULL: the host has no memory. */
struct texture_op *texture_op_new(struct decoder *d);

/* The elements of {a, b, ...}, or the one operand. */
const struct ptx_operand *texture_elements(const struct ptx_operand *o, uint32_t *count);

/* Decodes [handle, {layer, x, y, z}] into op; g is NULL for a query, which has a handle
 * only. -1: the operand has another form. */
int texture_decode_place(struct decoder *d, const struct ptx_operand *o,
                         struct texture_op *op, const struct geometry *g,
                         enum ptx_type type);

/* Decodes the results and the predicate that says whether all texels were resident. There
 * must be `wanted` results, each of `bytes` in its register; otherwise -1. */
int texture_decode_results(struct decoder *d, const struct ptx_operand *o,
                           struct texture_op *op, uint32_t wanted, uint32_t bytes);

#endif

/*
 * Tensor cores (PTX ISA 9.7.14 and 9.7.15): what a fragment is, and where its elements
 * lie. The other files are:
 *
 *   matrix_multiply.c   wmma.mma, mma.sync, mma.sp
 *   matrix_sum.c        how sums are rounded
 *   matrix_memory.c     wmma.load, wmma.store, ldmatrix, stmatrix, movmatrix
 *
 * The ISA says how the registers of mma.sync are laid out, because programs fill them. It
 * leaves the layout of wmma open. Ours has the accumulators where sm_80 and later have
 * them, so that programs which rely on that run. A layout is made into a table when a
 * kernel is decoded.
 */
#include "matrix.h"

#include "../decode/families.h"
#include "../source.h"
#include "../warp_fault.h"

#include <string.h>

unsigned
matrix_bits(enum ptx_type t)
{
    switch (t) {
    case PTX_b1:
        return 1;
    case PTX_s4:
    case PTX_u4:
        return 4;
    case PTX_s8:
    case PTX_u8:
    case PTX_b8:
    case PTX_e4m3:
    case PTX_e5m2:
        return 8;
    case PTX_f16:
    case PTX_bf16:
    case PTX_b16:
        return 16;
    case PTX_tf32:
    case PTX_f32:
    case PTX_s32:
        return 32;
    case PTX_f64:
        return 64;
    default:
        return 0;
    }
}

/* How many elements one register holds. Elements of f64 have registers of 64 bits. */
unsigned
matrix_per_register(enum ptx_type t)
{
    unsigned bits = matrix_bits(t);

    return bits == 0 || bits >= 32 ? 1 : 32 / bits;
}

static unsigned
register_width(enum ptx_type t)
{
    return t == PTX_f64 ? 8 : 4;
}

uint64_t
fragment_get(const uint8_t *regs, const struct fragment *f, unsigned lane, unsigned i)
{
    unsigned per = matrix_per_register(f->type), width = register_width(f->type);
    unsigned bits = matrix_bits(f->type);
    uint64_t word = 0;

    memcpy(&word, regs + f->vector_of[i / per] + lane * width, width);
    return bits == 64 ? word : word >> (bits * (i % per)) & (((uint64_t)1 << bits) - 1);
}

void
fragment_set(uint8_t *regs, const struct fragment *f, unsigned lane, unsigned i,
             uint64_t bits)
{
    unsigned per = matrix_per_register(f->type), width = register_width(f->type);
    unsigned size = matrix_bits(f->type), shift = size * (i % per);
    uint8_t *at = regs + f->vector_of[i / per] + lane * width;
    uint64_t word = bits, mask = size == 64 ? UINT64_MAX : ((uint64_t)1 << size) - 1;

    if (per > 1) {
        word = 0;
        memcpy(&word, at, width);
        word = (word & ~(mask << shift)) | (bits & mask) << shift;
    }
    memcpy(at, &word, width);
}

bool
matrix_whole_warp(struct warp *w, const struct part *parts, uint32_t count)
{
    uint32_t lanes = 0;
    bool together = true;

    for (uint32_t i = 0; i < count; i++) {
        lanes |= parts[i].mask;
        together &= parts[i].in == parts[0].in && parts[i].regs == parts[0].regs;
    }
    if (together && lanes == FULL_MASK)
        return true;
    fault_at(w, parts[0].in, (unsigned)__builtin_ctz(parts[0].mask), FAULT_BARRIER,
             together ? "executes %s with %d of the warp's 32 threads; it needs them all"
                      : "executes %s while other threads of its warp are at another one "
                        "(%d came)",
             origin_of(w, parts[0].in)->text, __builtin_popcount(lanes));
    return false;
}

/* --- layouts ------------------------------------------------------------- */

struct place {
    unsigned batch, row, column;
};

/* 9.7.15.5.1: lanes 4q to 4q + 3 and 16 more make product q of four. */
static struct place
place_in_quads(const struct fragment *f, enum matrix which, bool column_major,
               unsigned lane, unsigned i)
{
    unsigned half = lane >> 4, in_quad = lane & 3;
    struct place p = {.batch = lane >> 2 & 3};

    if (which == MATRIX_C && f->type == PTX_f32) {
        p.row = (in_quad & 1) + (i & 2) + 4 * half;
        p.column = (i & 4) + (in_quad & 2) + (i & 1);
    } else if (which == MATRIX_C) {
        p.row = in_quad + 4 * half;
        p.column = i;
    } else if ((which == MATRIX_A) != column_major) { /* along k: 4 elements */
        p.row = in_quad + 4 * half;
        p.column = i;
    } else {
        p.row = i + 4 * half;
        p.column = in_quad;
    }
    if (which == MATRIX_B) {
        unsigned k = p.column, column = p.row;

        p.row = k;
        p.column = column;
    }
    return p;
}

/* 9.7.15.5.2 to .11: a's registers alternate between the upper and the lower 8 rows, then
 * go on along k; b has 8 columns, one for each group of 4 lanes. */
static struct place
place_in_mma(const struct fragment *f, enum matrix which, unsigned lane, unsigned i)
{
    unsigned per = matrix_per_register(f->type), r = i / per, s = i % per;
    unsigned group = lane >> 2, in_group = lane & 3;
    bool tall = f->rows == 16;

    if (which == MATRIX_A)
        return (struct place){.row = group + (tall ? 8 * (r & 1) : 0),
                              .column =
                                  in_group * per + s + (tall ? r >> 1 : r) * 4 * per};
    if (which == MATRIX_B)
        return (struct place){.row = in_group * per + s + r * 4 * per, .column = group};
    return (struct place){.row = group + 8 * (i >> 1), .column = in_group * 2 + (i & 1)};
}

static struct place
place_opaque(const struct fragment *f, enum matrix which, unsigned lane, unsigned i)
{
    unsigned group = lane >> 2, in_group = lane & 3, tiles = f->columns / 8;

    if (which != MATRIX_C) {
        unsigned at = lane * f->elements + i;

        return (struct place){.row = at / f->columns, .column = at % f->columns};
    }
    /* There are tiles of 8 columns side by side, then more below. Each half of a tile has
     * two elements of a lane. */
    if (f->rows == 8)
        return (struct place){.row = group,
                              .column = in_group * 2 + (i & 1) + 8 * (i / 2)};
    return (struct place){.row = group + 8 * (i >> 1 & 1) + 16 * (i / 4 / tiles),
                          .column = in_group * 2 + (i & 1) + 8 * (i / 4 % tiles)};
}

int
fragment_place(struct decoder *d, struct fragment *f, enum matrix which,
               enum layout layout, bool column_major)
{
    uint16_t *at = kernel_alloc(d, LANES * f->elements * sizeof *at);

    if (at == NULL)
        return -1;
    f->at = at;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < f->elements; i++) {
            struct place p = layout == LAYOUT_QUADS
                                 ? place_in_quads(f, which, column_major, lane, i)
                             : layout == LAYOUT_OPAQUE ? place_opaque(f, which, lane, i)
                                                       : place_in_mma(f, which, lane, i);

            *at++ = (uint16_t)((p.batch * f->rows + p.row) * f->columns + p.column);
        }
    return 0;
}

/* --- decoding ------------------------------------------------------------ */

/* f->type, rows, columns and batch are known. The list may have more registers than the
 * elements need: wmma's a and b of f16 have (9.7.14.1). */
int
decode_fragment(struct decoder *d, const struct ptx_operand *o, struct fragment *f,
                bool is_destination)
{
    unsigned bits = matrix_bits(f->type), width = register_width(f->type);
    const struct ptx_operand *list = o->kind == PTX_OPERAND_LIST ? o->list : o;
    uint32_t count = o->kind == PTX_OPERAND_LIST ? o->count : 1, needed;

    if (bits == 0)
        return -1;
    f->elements = f->rows * f->columns * f->batch / LANES;
    needed = f->elements / matrix_per_register(f->type);
    if (needed == 0 || count < needed || count > MATRIX_REGS)
        return -1;
    f->regs = count;
    for (uint32_t i = 0; i < count; i++) {
        f->vector_of[i] = is_destination
                              ? destination(d, &list[i], width)
                              : source(d, &list[i], width == 8 ? PTX_f64 : PTX_b32);
        if (f->vector_of[i] == UINT32_MAX)
            return -1;
    }
    return 0;
}

const struct matrix_shape *
matrix_shape(struct decoder *d, const struct ptx_insn *in)
{
    static const struct {
        uint8_t mod;
        struct matrix_shape shape;
    } shapes[] = {
        {PTX_MOD_m16n16k16, {16, 16, 16}}, {PTX_MOD_m32n8k16, {32, 8, 16}},
        {PTX_MOD_m8n32k16, {8, 32, 16}},   {PTX_MOD_m16n16k8, {16, 16, 8}},
        {PTX_MOD_m8n8k4, {8, 8, 4}},       {PTX_MOD_m8n8k16, {8, 8, 16}},
        {PTX_MOD_m8n8k32, {8, 8, 32}},     {PTX_MOD_m8n8k128, {8, 8, 128}},
        {PTX_MOD_m16n8k4, {16, 8, 4}},     {PTX_MOD_m16n8k8, {16, 8, 8}},
        {PTX_MOD_m16n8k16, {16, 8, 16}},   {PTX_MOD_m16n8k32, {16, 8, 32}},
        {PTX_MOD_m16n8k64, {16, 8, 64}},   {PTX_MOD_m16n8k128, {16, 8, 128}},
        {PTX_MOD_m16n8k256, {16, 8, 256}},
    };

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        if (mod_read(d, in, (enum ptx_mod)shapes[k].mod))
            return &shapes[k].shape;
    return NULL;
}

/* wmma */
int
decode_matrix(struct decoder *d, const struct ptx_insn *in)
{
    return ptx_has_mod(in, PTX_MOD_load) || ptx_has_mod(in, PTX_MOD_store)
               ? decode_matrix_memory(d, in)
               : decode_multiply(d, in);
}

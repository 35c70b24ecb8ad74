/*
 * Matrices between memory and registers: wmma.load and wmma.store (PTX ISA 9.7.14.3, .4),
 * ldmatrix, stmatrix and movmatrix (9.7.15.5.15 to .17).
 */
#include "../cost/count.h"
#include "../decode/families.h"
#include "../links.h"
#include "../race/race.h"
#include "matrix.h"
#include "ordered.h"

#include <string.h>

struct transfer {
    struct sync_op sync;
    struct fragment f;
    bool store, column_major, trans;
    uint32_t address_vector, stride_vector; /* stride UINT32_MAX: rows are packed */
    bool wide_address;
    int64_t offset;
    enum ptx_space space;
    uint32_t slot;
};

static const struct transfer *
transfer_of(const struct insn *in)
{
    return (const struct transfer *)(const void *)in->extra;
}

static uint64_t
address_of(const struct transfer *op, const uint8_t *regs, unsigned lane)
{
    uint64_t address = 0;
    unsigned width = op->wide_address ? 8 : 4;

    memcpy(&address, regs + op->address_vector + lane * width, width);
    address += (uint64_t)op->offset;
    return op->wide_address ? address : (uint32_t)address;
}

static void
note_request(struct warp *w, const struct insn *in, const struct transfer *op,
             const uint64_t *addresses, uint32_t lanes, uint32_t bytes)
{
    uint32_t mask = w->mask;

    if (w->block->race == NULL)
        return;
    w->mask = lanes; /* the lanes that meet in the operation; some may be parked */
    race_access(w, in,
                &(struct race_request){.ea = addresses,
                                       .bytes = bytes,
                                       .slot = op->slot,
                                       .space = op->space,
                                       .kind = op->store ? RACE_WRITE : RACE_READ});
    w->mask = mask;
}

static void
count_request(struct warp *w, const struct transfer *op, const uint64_t *addresses,
              uint32_t lanes, uint32_t bytes)
{
    if (op->space == PTX_SPACE_SHARED ||
        (op->space == PTX_SPACE_GENERIC && addresses[0] - SHARED_WINDOW < WINDOW_BYTES))
        count_shared(w, op->slot, addresses, lanes, bytes);
    else
        count_global(w, op->slot, addresses, lanes);
}

/* --- wmma.load, wmma.store ----------------------------------------------- */

/* The bits from the start of the matrix to element i of the lane's fragment. */
static uint64_t
element_place(const struct transfer *op, const uint8_t *regs, unsigned lane, unsigned i)
{
    const struct fragment *f = &op->f;
    uint32_t at = f->at[lane * f->elements + i];
    uint32_t row = at / f->columns, column = at % f->columns;
    uint32_t stride = op->column_major ? f->rows : f->columns;

    if (op->stride_vector != UINT32_MAX)
        memcpy(&stride, regs + op->stride_vector + lane * 4, 4);
    return matrix_bits(f->type) * (op->column_major ? (uint64_t)column * stride + row
                                                    : (uint64_t)row * stride + column);
}

/* Stores or loads one element of each lane, from or to `bits`. An element of less than a
 * byte is the low or high part of one. */
static bool
move_elements(struct warp *w, const struct insn *in, uint8_t *regs, unsigned i,
              uint64_t *ea)
{
    const struct transfer *op = transfer_of(in);
    const struct fragment *f = &op->f;
    unsigned size = matrix_bits(f->type), bytes = size < 8 ? 1 : size / 8;

    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t place = element_place(op, regs, lane, i), bits = 0;
        uint8_t *host;

        ea[lane] = address_of(op, regs, lane) + place / 8;
        host = access_lane(w, in, lane, op->slot, op->space, ea[lane], bytes, op->store);
        if (host == NULL)
            return false;
        links_any(w, op->slot, op->space, ea[lane], bytes,
                  op->store ? LINKS_WRITE : LINKS_READ);
        if (op->store) {
            bits = fragment_get(regs, f, lane, i);
            memcpy(host, &bits, bytes);
        } else {
            memcpy(&bits, host, bytes);
            fragment_set(regs, f, lane, i, bits >> (size < 8 ? place % 8 : 0));
        }
    }
    return true;
}

static bool
run_wmma_memory(struct warp *w, const struct part *parts, uint32_t count)
{
    const struct insn *in = parts[0].in;
    const struct transfer *op = transfer_of(in);
    unsigned per = matrix_per_register(op->f.type), bits = matrix_bits(op->f.type);
    uint64_t ea[LANES];

    if (!matrix_whole_warp(w, parts, count))
        return false;
    for (unsigned i = 0; i < op->f.elements; i++) {
        if (!move_elements(w, in, parts[0].regs, i, ea))
            return false;
        note_request(w, in, op, ea, FULL_MASK, bits < 8 ? 1 : bits / 8);
        if (i % per == 0) /* a register is one request */
            count_request(w, op, ea, FULL_MASK, bits < 8 ? 1 : bits / 8);
    }
    return true;
}

/* --- ldmatrix, stmatrix, movmatrix --------------------------------------- */

/* Transposes 8 x 8 elements of 16 bits as the lanes hold them: lane 4r + c has columns 2c
 * and 2c + 1 of row r. */
static void
transpose(uint32_t *words)
{
    uint16_t from[64], to[64];

    memcpy(from, words, sizeof from);
    for (unsigned r = 0; r < 8; r++)
        for (unsigned c = 0; c < 8; c++)
            to[r * 8 + c] = from[c * 8 + r];
    memcpy(words, to, sizeof to);
}

/* Lane 8i + r has the address of row r of matrix i; a row is 16 bytes. All matrices are
 * one request, as Nsight Compute counts it, with a wavefront for each. */
static bool
run_matrices(struct warp *w, const struct part *parts, uint32_t count)
{
    const struct insn *in = parts[0].in;
    const struct transfer *op = transfer_of(in);
    uint8_t *regs = parts[0].regs;
    uint64_t ea[LANES], all[LANES] = {0};
    uint32_t lanes = 0; /* that have an address */

    if (!matrix_whole_warp(w, parts, count))
        return false;
    for (uint32_t i = 0; i < op->f.regs; i++) {
        uint8_t *vector = regs + op->f.vector_of[i];
        uint32_t words[LANES];

        memcpy(words, vector, sizeof words);
        if (op->store && op->trans)
            transpose(words);
        for (unsigned r = 0; r < 8; r++) {
            unsigned lane = i * 8 + r;
            uint8_t *host;

            ea[r] = all[lane] = address_of(op, regs, lane);
            host = access_lane(w, in, lane, op->slot, op->space, ea[r], 16, op->store);
            if (host == NULL)
                return false;
            links_any(w, op->slot, op->space, ea[r], 16,
                      op->store ? LINKS_WRITE : LINKS_READ);
            if (op->store)
                memcpy(host, words + (ptrdiff_t)4 * r, 16);
            else
                memcpy(words + (ptrdiff_t)4 * r, host, 16);
        }
        lanes |= UINT32_C(0xff) << (8 * i);
        note_request(w, in, op, ea, 0xff, 16);
        if (op->store)
            continue;
        if (op->trans)
            transpose(words);
        memcpy(vector, words, sizeof words);
    }
    count_request(w, op, all, lanes, 16);
    return true;
}

/* movmatrix: lane vectors d, a. */
static bool
run_movmatrix(struct warp *w, const struct part *parts, uint32_t count)
{
    const struct transfer *op = transfer_of(parts[0].in);
    uint32_t words[LANES];

    if (!matrix_whole_warp(w, parts, count))
        return false;
    memcpy(words, parts[0].regs + op->sync.extra.vectors[1], sizeof words);
    transpose(words);
    memcpy(parts[0].regs + op->sync.extra.vectors[0], words, sizeof words);
    return true;
}

/* --- decoding ------------------------------------------------------------ */

static struct transfer *
new_transfer(struct decoder *d, bool (*run)(struct warp *, const struct part *, uint32_t))
{
    struct transfer *op = kernel_alloc(d, sizeof *op);

    if (op == NULL)
        return NULL;
    op->sync.kind = SYNC_MATRIX;
    op->sync.member_vector = UINT32_MAX;
    op->sync.run = run;
    op->slot = site_new(d);
    op->stride_vector = UINT32_MAX;
    op->f.batch = 1;
    return op;
}

static int
decode_matrix_address(struct decoder *d, const struct ptx_operand *o, struct transfer *op,
                      const struct ptx_insn *in)
{
    uint32_t width = 8;
    struct ptx_operand base = *o;

    op->space = access_space(d, in, o);
    if (!o->is_address || o->second != NULL || op->space == PTX_SPACE_LOCAL ||
        op->space == PTX_SPACE_PARAM)
        return -1;
    address_read(d, o);
    base.is_address = false;
    if (o->kind == PTX_OPERAND_REG) {
        op->offset = o->offset;
        base.offset = 0;
        op->address_vector = source_any(d, &base, &width);
    } else {
        op->address_vector = source(d, &base, PTX_u64);
    }
    op->wide_address = width == 8;
    return op->address_vector != UINT32_MAX && (width == 4 || width == 8) ? 0 : -1;
}

/* wmma.load.{a,b,c}.sync.aligned.{row,col}.shape{.space}.type r, [p] {, stride}; and
 * wmma.store.d ... [p], r {, stride} */
static int
decode_wmma_memory(struct decoder *d, const struct ptx_insn *in)
{
    bool store = MOD_READ_ANY(d, in, PTX_MOD_store, PTX_MOD_load) == PTX_MOD_store;
    const struct ptx_operand *o = in->operands;
    const struct matrix_shape *shape = matrix_shape(d, in);
    struct transfer *op = new_transfer(d, run_wmma_memory);
    enum ptx_mod name = store ? MOD_READ_ANY(d, in, PTX_MOD_d)
                              : MOD_READ_ANY(d, in, PTX_MOD_a, PTX_MOD_b, PTX_MOD_c);
    enum ptx_mod order = MOD_READ_ANY(d, in, PTX_MOD_row, PTX_MOD_col);
    enum matrix which = name == PTX_MOD_a   ? MATRIX_A
                        : name == PTX_MOD_b ? MATRIX_B
                                            : MATRIX_C;

    if (op == NULL || shape == NULL || name == PTX_MOD_UNKNOWN ||
        order == PTX_MOD_UNKNOWN || !mod_read(d, in, PTX_MOD_sync) ||
        in->operand_count < 2 || in->type_count != 1)
        return -1;
    op->store = store;
    op->column_major = order == PTX_MOD_col;
    op->f.type = type_read(d, in, 0);
    op->f.rows = which == MATRIX_B ? shape->k : shape->m;
    op->f.columns = which == MATRIX_A ? shape->k : shape->n;
    if (store && matrix_bits(op->f.type) < 8)
        return -1;
    if (decode_fragment(d, &o[store ? 1 : 0], &op->f, !store) != 0 ||
        fragment_place(d, &op->f, which, LAYOUT_OPAQUE, false) != 0 ||
        decode_matrix_address(d, &o[store ? 0 : 1], op, in) != 0)
        return -1;
    if (in->operand_count > 2) {
        op->stride_vector = source(d, &o[2], PTX_u32);
        if (op->stride_vector == UINT32_MAX)
            return -1;
    }
    emit(d, op_sync)->extra = &op->sync.extra;
    if (store)
        order_note(d, PTX_SPACE_GENERIC, &op->sync.extra, &op->sync.extra.plain,
                   op_ordered_other);
    return 0;
}

/* ldmatrix.sync.aligned.m8n8.num{.trans}{.space}.b16 r, [p]; stmatrix ... [p], r */
static int
decode_matrices(struct decoder *d, const struct ptx_insn *in)
{
    bool store = in->op == PTX_OP_stmatrix;
    const struct ptx_operand *o = in->operands;
    struct transfer *op = new_transfer(d, run_matrices);
    enum ptx_mod count = MOD_READ_ANY(d, in, PTX_MOD_x1, PTX_MOD_x2, PTX_MOD_x4);
    unsigned matrices = count == PTX_MOD_x4 ? 4 : count == PTX_MOD_x2 ? 2 : 1;

    if (op == NULL || count == PTX_MOD_UNKNOWN || !mod_read(d, in, PTX_MOD_sync) ||
        in->operand_count != 2 || in->type_count != 1 || type_read(d, in, 0) != PTX_b16 ||
        !mod_read(d, in, PTX_MOD_m8n8))
        return -1;
    op->store = store;
    op->trans = mod_read(d, in, PTX_MOD_trans);
    op->f.type = PTX_b16;
    op->f.rows = 8;
    op->f.columns = 8 * matrices;
    if (decode_fragment(d, &o[store ? 1 : 0], &op->f, !store) != 0 ||
        op->f.regs != matrices ||
        decode_matrix_address(d, &o[store ? 0 : 1], op, in) != 0)
        return -1;
    site_wavefronts(d, op->slot, matrices);
    emit(d, op_sync)->extra = &op->sync.extra;
    return 0;
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a */
static int
decode_movmatrix(struct decoder *d, const struct ptx_insn *in)
{
    struct transfer *op = new_transfer(d, run_movmatrix);

    if (op == NULL || !mod_read(d, in, PTX_MOD_sync) || in->operand_count != 2 ||
        in->type_count != 1 || type_read(d, in, 0) != PTX_b16 ||
        !mod_read(d, in, PTX_MOD_m8n8) || !mod_read(d, in, PTX_MOD_trans))
        return -1;
    op->sync.extra.vectors[0] = destination(d, &in->operands[0], 4);
    op->sync.extra.vectors[1] = source(d, &in->operands[1], PTX_b32);
    if (op->sync.extra.vectors[0] == UINT32_MAX ||
        op->sync.extra.vectors[1] == UINT32_MAX)
        return -1;
    count_work(d, WORK_SHUFFLE, 1);
    emit(d, op_sync)->extra = &op->sync.extra;
    return 0;
}

int
decode_matrix_memory(struct decoder *d, const struct ptx_insn *in)
{
    switch (in->op) {
    case PTX_OP_wmma:
        return decode_wmma_memory(d, in);
    case PTX_OP_movmatrix:
        return decode_movmatrix(d, in);
    default:
        return decode_matrices(d, in);
    }
}

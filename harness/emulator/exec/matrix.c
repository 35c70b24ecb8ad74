/*
 * Tensor cores: wmma (PTX ISA 9.7.14.3), mma.sync (9.7.14.5), ldmatrix (9.7.14.5.15).
 *
 * Products are exact in double and are summed in double, then rounded once to the
 * accumulator's type: at least as close to the true sum as the hardware's order.
 *
 * wmma's fragments are opaque to programs: ours hold element lane * n + i of the matrix
 * in register order, accumulators as mma.sync documents them. mma.sync's layouts are the
 * ISA's.
 */
#include "sync.h"

#include "decode.h"
#include "half.h"

#include <string.h>

enum { MAX_DIM = 32, MAX_K = 64, MAX_REGS = 16 };

/* Which matrix of d = a * b + c. */
enum matrix { MATRIX_A, MATRIX_B, MATRIX_C };

struct fragment {
    enum ptx_type type;
    uint32_t rows, columns;
    uint32_t regs; /* a lane */
    uint32_t row_of[MAX_REGS];
};

struct matrix_op {
    struct sync_op sync;
    enum { WMMA_LOAD, WMMA_STORE, MULTIPLY, LDMATRIX } what;
    struct fragment f[4]; /* a, b, c, d; loads and stores use [0] */
    enum matrix matrix;   /* loads and stores */
    bool opaque;          /* wmma's layout of a and b */
    bool column_major, trans;
    bool satfinite;
    uint32_t address_row, stride_row; /* stride UINT32_MAX: packed */
    bool wide_address;
    int64_t offset;
    enum ptx_space space;
    uint32_t slot, k;
};

static const struct matrix_op *
matrix_of(const struct insn *in)
{
    return (const struct matrix_op *)(const void *)in->extra;
}

static unsigned
element_bytes(enum ptx_type t)
{
    return t == PTX_tf32 ? 4 : ptx_type_bytes(t);
}

/* Elements that one register holds: 8-byte ones have 64-bit registers. */
static unsigned
per_register(enum ptx_type t)
{
    unsigned bytes = element_bytes(t);

    return bytes >= 4 ? 1 : 4 / bytes;
}

static unsigned
register_width(enum ptx_type t)
{
    return element_bytes(t) == 8 ? 8 : 4;
}

/* Row and column of element i of a lane's fragment. */
static void
position(const struct matrix_op *op, enum matrix which, const struct fragment *f,
         unsigned lane, unsigned i, unsigned *row, unsigned *column)
{
    unsigned per = per_register(f->type), r = i / per, s = i % per;
    unsigned group = lane >> 2, in_group = lane & 3;

    if (which != MATRIX_C && op->opaque) {
        unsigned n = f->rows * f->columns / LANES, at = lane * n + i % n;

        *row = at / f->columns;
        *column = at % f->columns;
    } else if (which == MATRIX_C && op->opaque) {
        /* 8-column tiles side by side, then below: two elements of two half tiles each.
         */
        unsigned tiles = f->columns / 8, tile = i / 4, e = i % 4;

        if (f->rows == 8) {
            *row = group;
            *column = in_group * 2 + (i & 1) + 8 * (i / 2);
            return;
        }
        *row = group + 8 * (e >> 1) + 16 * (tile / tiles);
        *column = in_group * 2 + (e & 1) + 8 * (tile % tiles);
    } else if (which == MATRIX_A) {
        *row = group + (f->rows == 16 ? 8 * (r & 1) : 0);
        *column = in_group * per + s + (f->rows == 16 ? r >> 1 : r) * 4 * per;
    } else if (which == MATRIX_B) {
        *row = in_group * per + s + r * 4 * per;
        *column = group;
    } else {
        *row = group + 8 * (i >> 1);
        *column = in_group * 2 + (i & 1);
    }
}

/* --- elements as doubles ------------------------------------------------- */

static double
element_value(enum ptx_type t, uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;
    double v;

    switch (t) {
    case PTX_f16:
        return small_to_double(SMALL_F16, word & 0xffff);
    case PTX_bf16:
        return small_to_double(SMALL_BF16, word & 0xffff);
    case PTX_tf32: /* the low 13 bits are ignored */
        word &= 0xffffe000;
        memcpy(&f, &word, sizeof f);
        return (double)f;
    case PTX_f32:
        memcpy(&f, &word, sizeof f);
        return (double)f;
    case PTX_f64:
        memcpy(&v, &bits, sizeof v);
        return v;
    case PTX_s8:
        return (double)(int8_t)word;
    case PTX_u8:
        return (double)(uint8_t)word;
    default:
        return (double)(int32_t)word;
    }
}

static uint64_t
element_bits(const struct matrix_op *op, enum ptx_type t, double v)
{
    float f = (float)v;
    uint32_t word;
    uint64_t bits;

    switch (t) {
    case PTX_f16:
        return small_from_double(SMALL_F16, v, ROUND_NEAREST, op->satfinite);
    case PTX_f32:
        memcpy(&word, &f, sizeof word);
        return word;
    case PTX_f64:
        memcpy(&bits, &v, sizeof bits);
        return bits;
    default: /* s32: sums of integers are exact in double */
        if (op->satfinite)
            v = v > 2147483647.0 ? 2147483647.0 : v < -2147483648.0 ? -2147483648.0 : v;
        return (uint32_t)(uint64_t)(int64_t)v;
    }
}

static uint64_t
fragment_bits(const uint8_t *regs, const struct fragment *f, unsigned lane, unsigned i)
{
    unsigned per = per_register(f->type), width = register_width(f->type);
    unsigned bytes = element_bytes(f->type);
    uint64_t word = 0;

    memcpy(&word, regs + f->row_of[i / per] + lane * width, width);
    return word >> (8 * bytes * (i % per));
}

static void
set_fragment_bits(uint8_t *regs, const struct fragment *f, unsigned lane, unsigned i,
                  uint64_t bits)
{
    unsigned per = per_register(f->type), bytes = element_bytes(f->type);
    unsigned width = register_width(f->type);

    memcpy(regs + f->row_of[i / per] + lane * width + i % per * bytes, &bits, bytes);
}

/* --- multiplying --------------------------------------------------------- */

static void
gather(const struct matrix_op *op, enum matrix which, const struct fragment *f,
       const uint8_t *regs, double *out, unsigned stride)
{
    unsigned n = f->regs * per_register(f->type), row, column;

    if (which != MATRIX_C && op->opaque) /* registers beyond these repeat them */
        n = f->rows * f->columns / LANES;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < n; i++) {
            position(op, which, f, lane, i, &row, &column);
            out[row * stride + column] =
                element_value(f->type, fragment_bits(regs, f, lane, i));
        }
}

static bool
run_multiply(struct warp *w, const struct part *parts, uint32_t count)
{
    const struct matrix_op *op = matrix_of(parts[0].in);
    double a[MAX_DIM][MAX_K], b[MAX_K][MAX_DIM], c[MAX_DIM][MAX_DIM];
    uint8_t *regs = parts[0].regs;
    const struct fragment *d = &op->f[3];
    unsigned m = op->f[0].rows, n = op->f[1].columns, k = op->k, row, column;

    (void)w;
    (void)count;
    gather(op, MATRIX_A, &op->f[0], regs, &a[0][0], MAX_K);
    gather(op, MATRIX_B, &op->f[1], regs, &b[0][0], MAX_DIM);
    gather(op, MATRIX_C, &op->f[2], regs, &c[0][0], MAX_DIM);
    for (unsigned i = 0; i < m; i++)
        for (unsigned x = 0; x < k; x++)
            for (unsigned j = 0; j < n; j++)
                c[i][j] += a[i][x] * b[x][j];
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < d->regs * per_register(d->type); i++) {
            position(op, MATRIX_C, d, lane, i, &row, &column);
            set_fragment_bits(regs, d, lane, i,
                              element_bits(op, d->type, c[row][column]));
        }
    return true;
}

/* --- loading and storing ------------------------------------------------- */

static uint64_t
address_of(const struct matrix_op *op, const uint8_t *regs, unsigned lane)
{
    uint64_t address = 0;
    unsigned width = op->wide_address ? 8 : 4;

    memcpy(&address, regs + op->address_row + lane * width, width);
    address += (uint64_t)op->offset;
    return op->wide_address ? address : (uint32_t)address;
}

/* One element a lane at a time, so that the request is counted as the hardware would see
 * it. */
static bool
run_wmma_memory(struct warp *w, const struct part *parts, uint32_t count)
{
    const struct insn *in = parts[0].in;
    const struct matrix_op *op = matrix_of(in);
    const struct fragment *f = &op->f[0];
    uint8_t *regs = parts[0].regs;
    unsigned bytes = element_bytes(f->type), n = f->regs * per_register(f->type);
    bool store = op->what == WMMA_STORE;
    uint64_t ea[LANES];

    (void)count;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned row, column;
            uint32_t stride = op->column_major ? f->rows : f->columns;
            uint64_t bits = 0;
            uint8_t *host;

            if (op->stride_row != UINT32_MAX)
                memcpy(&stride, regs + op->stride_row + lane * 4, 4);
            position(op, op->matrix, f, lane, i, &row, &column);
            ea[lane] = address_of(op, regs, lane) +
                       bytes * (op->column_major ? (uint64_t)column * stride + row
                                                 : (uint64_t)row * stride + column);
            host = access_lane(w, in, lane, op->slot, op->space, ea[lane], bytes, store);
            if (host == NULL)
                return false;
            if (store) {
                bits = fragment_bits(regs, f, lane, i);
                memcpy(host, &bits, bytes);
            } else {
                memcpy(&bits, host, bytes);
                set_fragment_bits(regs, f, lane, i, bits);
            }
        }
        if (i % per_register(f->type) != 0)
            continue; /* the register was counted with its first element */
        if (op->space == PTX_SPACE_SHARED)
            count_shared(w, op->slot, ea, w->mask != 0 ? w->mask : FULL_MASK, bytes);
        else
            count_global(w, op->slot, ea, w->mask != 0 ? w->mask : FULL_MASK);
    }
    return true;
}

/* Lane 8i + r has the address of row r of matrix i; a row is 16 bytes. */
static bool
run_ldmatrix(struct warp *w, const struct part *parts, uint32_t count)
{
    const struct insn *in = parts[0].in;
    const struct matrix_op *op = matrix_of(in);
    uint8_t *regs = parts[0].regs;
    uint64_t ea[LANES];

    (void)count;
    for (uint32_t i = 0; i < op->f[0].regs; i++) {
        const uint8_t *rows[8];
        uint32_t *d = (uint32_t *)(void *)(regs + op->f[0].row_of[i]);

        for (unsigned r = 0; r < 8; r++) {
            unsigned lane = i * 8 + r;

            ea[r] = address_of(op, regs, lane);
            rows[r] = access_lane(w, in, lane, op->slot, op->space, ea[r], 16, false);
            if (rows[r] == NULL)
                return false;
        }
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint16_t low, high;
            unsigned at = lane / 4, pair = lane % 4 * 2;

            if (op->trans) {
                memcpy(&low, rows[pair] + at * 2, 2);
                memcpy(&high, rows[pair + 1] + at * 2, 2);
            } else {
                memcpy(&low, rows[at] + pair * 2, 2);
                memcpy(&high, rows[at] + pair * 2 + 2, 2);
            }
            d[lane] = (uint32_t)high << 16 | low;
        }
        count_shared(w, op->slot, ea, 0xff, 16);
    }
    return true;
}

/* --- decoding ---------------------------------------------------------- */

static const struct {
    uint8_t mod, m, n, k;
} shapes[] = {
    {PTX_MOD_m16n16k16, 16, 16, 16}, {PTX_MOD_m32n8k16, 32, 8, 16},
    {PTX_MOD_m8n32k16, 8, 32, 16},   {PTX_MOD_m16n16k8, 16, 16, 8},
    {PTX_MOD_m16n8k4, 16, 8, 4},     {PTX_MOD_m16n8k8, 16, 8, 8},
    {PTX_MOD_m16n8k16, 16, 8, 16},   {PTX_MOD_m16n8k32, 16, 8, 32},
};

static int
shape_of(const struct ptx_insn *in)
{
    for (unsigned i = 0; i < in->mod_count; i++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            if (shapes[k].mod == in->mods[i])
                return (int)k;
    return -1;
}

static bool
type_is_known(enum ptx_type t)
{
    return t == PTX_f16 || t == PTX_bf16 || t == PTX_tf32 || t == PTX_f32 ||
           t == PTX_s8 || t == PTX_u8 || t == PTX_s32;
}

static int
decode_fragment(struct decoder *d, const struct ptx_operand *o, struct fragment *f,
                enum ptx_type t, unsigned rows, unsigned columns, bool is_destination,
                bool may_repeat)
{
    unsigned needed = rows * columns / LANES / per_register(t);

    /* wmma's a and b of f16 have twice the registers that their elements need. */
    if (o->kind != PTX_OPERAND_LIST || needed == 0 || o->count > MAX_REGS ||
        !type_is_known(t) || o->count < needed || (o->count != needed && !may_repeat))
        return -1;
    f->type = t;
    f->rows = rows;
    f->columns = columns;
    f->regs = o->count;
    for (uint32_t i = 0; i < o->count; i++) {
        f->row_of[i] = is_destination ? destination(d, &o->list[i], 4)
                                      : source(d, &o->list[i], PTX_b32);
        if (f->row_of[i] == UINT32_MAX)
            return -1;
    }
    return 0;
}

static struct matrix_op *
new_matrix_op(struct decoder *d,
              bool (*run)(struct warp *, const struct part *, uint32_t))
{
    struct matrix_op *op = kernel_alloc(d, sizeof *op);

    if (op == NULL)
        return NULL;
    op->sync.kind = SYNC_MATRIX;
    op->sync.member_row = UINT32_MAX;
    op->sync.run = run;
    op->slot = site_new(d);
    return op;
}

static int
decode_matrix_address(struct decoder *d, const struct ptx_operand *o,
                      struct matrix_op *op, const struct ptx_insn *in)
{
    uint32_t width = 0;

    op->space = insn_space(in);
    op->offset = o->offset;
    if (!o->is_address)
        return -1;
    if (o->kind == PTX_OPERAND_REG) {
        op->address_row = source_any(d, o, &width);
    } else {
        struct ptx_operand base = *o;

        base.is_address = false;
        op->offset = 0;
        op->address_row = source(d, &base, PTX_u64);
        width = 8;
    }
    op->wide_address = width == 8;
    return op->address_row != UINT32_MAX && (width == 4 || width == 8) ? 0 : -1;
}

static void
emit_matrix(struct decoder *d, struct matrix_op *op)
{
    emit(d, op_sync)->extra = &op->sync.extra;
}

/* wmma.load.{a,b,c}...{.row,.col}.shape{.space}.type r, [p], stride; and store.d */
static int
decode_wmma_memory(struct decoder *d, const struct ptx_insn *in, int shape)
{
    bool store = ptx_has_mod(in, PTX_MOD_store);
    const struct ptx_operand *o = in->operands;
    struct matrix_op *op = new_matrix_op(d, run_wmma_memory);
    unsigned m = shapes[shape].m, n = shapes[shape].n, k = shapes[shape].k, rows, columns;
    enum ptx_type t = (enum ptx_type)in->types[0];

    if (op == NULL || in->operand_count < 2 || in->type_count != 1)
        return -1;
    op->what = store ? WMMA_STORE : WMMA_LOAD;
    op->opaque = true;
    op->matrix = ptx_has_mod(in, PTX_MOD_a)   ? MATRIX_A
                 : ptx_has_mod(in, PTX_MOD_b) ? MATRIX_B
                                              : MATRIX_C;
    rows = op->matrix == MATRIX_B ? k : m;
    columns = op->matrix == MATRIX_A ? k : n;
    op->column_major = ptx_has_mod(in, PTX_MOD_col);
    op->stride_row = UINT32_MAX;
    if (decode_fragment(d, &o[store ? 1 : 0], &op->f[0], t, rows, columns, !store,
                        op->matrix != MATRIX_C) != 0 ||
        decode_matrix_address(d, &o[store ? 0 : 1], op, in) != 0)
        return -1;
    if (in->operand_count > 2) {
        op->stride_row = source(d, &o[2], PTX_u32);
        if (op->stride_row == UINT32_MAX)
            return -1;
    }
    emit_matrix(d, op);
    return 0;
}

/* wmma.mma and mma.sync: d, a, b, c; the types are d's, a's, b's, c's, or of f16 wmma d's
 * and c's only */
static int
decode_multiply(struct decoder *d, const struct ptx_insn *in, int shape)
{
    const struct ptx_operand *o = in->operands;
    struct matrix_op *op = new_matrix_op(d, run_multiply);
    unsigned m = shapes[shape].m, n = shapes[shape].n, k = shapes[shape].k;
    enum ptx_type td = (enum ptx_type)in->types[0], ta = PTX_f16, tb = PTX_f16, tc;

    if (op == NULL || in->operand_count < 4 ||
        (in->type_count != 4 && in->type_count != 2) || ptx_has_mod(in, PTX_MOD_sp))
        return -1;
    tc = (enum ptx_type)in->types[in->type_count - 1];
    if (in->type_count == 4) {
        ta = (enum ptx_type)in->types[1];
        tb = (enum ptx_type)in->types[2];
    }
    op->what = MULTIPLY;
    op->k = k;
    op->opaque = in->op == PTX_OP_wmma;
    op->satfinite = ptx_has_mod(in, PTX_MOD_satfinite);
    if (decode_fragment(d, &o[0], &op->f[3], td, m, n, true, false) != 0 ||
        decode_fragment(d, &o[1], &op->f[0], ta, m, k, false, op->opaque) != 0 ||
        decode_fragment(d, &o[2], &op->f[1], tb, k, n, false, op->opaque) != 0 ||
        decode_fragment(d, &o[3], &op->f[2], tc, m, n, false, false) != 0)
        return -1;
    count_work(d, WORK_TENSOR, 2 * m * n * k / LANES);
    emit_matrix(d, op);
    return 0;
}

static int
decode_ldmatrix(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    struct matrix_op *op = new_matrix_op(d, run_ldmatrix);
    unsigned matrices = ptx_has_mod(in, PTX_MOD_x4)   ? 4
                        : ptx_has_mod(in, PTX_MOD_x2) ? 2
                                                      : 1;

    if (op == NULL || in->operand_count != 2 || in->types[0] != PTX_b16 ||
        !ptx_has_mod(in, PTX_MOD_m8n8))
        return -1;
    op->what = LDMATRIX;
    op->trans = ptx_has_mod(in, PTX_MOD_trans);
    if (o[0].kind != PTX_OPERAND_LIST || o[0].count != matrices ||
        decode_fragment(d, &o[0], &op->f[0], PTX_f16, 8, 8, true, true) != 0 ||
        decode_matrix_address(d, &o[1], op, in) != 0)
        return -1;
    emit_matrix(d, op);
    return 0;
}

int
decode_matrix(struct decoder *d, const struct ptx_insn *in)
{
    int shape = shape_of(in);

    if (in->op == PTX_OP_ldmatrix)
        return decode_ldmatrix(d, in);
    if ((in->op != PTX_OP_wmma && in->op != PTX_OP_mma) || shape < 0)
        return -1;
    if (ptx_has_mod(in, PTX_MOD_load) || ptx_has_mod(in, PTX_MOD_store))
        return decode_wmma_memory(d, in, shape);
    return decode_multiply(d, in, shape);
}

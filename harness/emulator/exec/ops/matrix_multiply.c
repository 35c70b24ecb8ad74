/*
 * Products of matrices: wmma.mma (PTX ISA 9.7.14.5), mma.sync (9.7.15.5), mma.sp
 * (9.7.15.6). The fragments are gathered into whole matrices, multiplied, and spread
 * again.
 */
#include "../decode/critical.h"
#include "../decode/families.h"
#include "../machine.h"
#include "half.h"
#include "matrix.h"

#include <math.h>
#include <string.h>

enum arithmetic { FLOATS, DOUBLES, INTEGERS, BITS_XOR, BITS_AND };

struct multiply {
    struct sync_op sync;
    struct fragment a, b, c, d;
    enum arithmetic arithmetic;
    struct matrix_shape shape;
    bool satfinite;
    bool sparse; /* a has half of its columns, which metadata names */
    uint32_t metadata_vector, selector;
};

static const struct multiply *
multiply_of(const struct insn *in)
{
    return (const struct multiply *)(const void *)in->extra;
}

/* --- elements ------------------------------------------------------------ */

/* The float that is equal to a number of a small format. */
static float
small_float(uint32_t bits, unsigned exponent_bits, unsigned mantissa_bits, bool infinite)
{
    uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
    uint32_t top = (1u << exponent_bits) - 1, exponent = bits >> mantissa_bits & top;
    uint32_t sign = bits >> (mantissa_bits + exponent_bits) & 1, word;
    int bias = (int)top / 2;
    float v;

    if (exponent == 0) {
        word = (uint32_t)(127 + 1 - bias - (int)mantissa_bits) << 23;
        memcpy(&v, &word, sizeof v);
        v *= (float)mantissa;
        return sign != 0 ? -v : v;
    }
    word = sign << 31 | (uint32_t)((int)exponent - bias + 127) << 23 |
           mantissa << (23 - mantissa_bits);
    if (infinite && exponent == top)
        word = sign << 31 | 0x7f800000 | mantissa << (23 - mantissa_bits);
    if (!infinite && (bits & 0x7f) == 0x7f)
        word = 0x7fc00000;
    memcpy(&v, &word, sizeof v);
    return v;
}

static float
float_value(enum ptx_type t, uint32_t bits)
{
    float v;

    switch (t) {
    case PTX_f16:
        return small_float(bits, 5, 10, true);
    case PTX_e5m2:
        return small_float(bits, 5, 2, true);
    case PTX_e4m3:
        return small_float(bits, 4, 3, false);
    case PTX_bf16:
        bits <<= 16;
        break;
    case PTX_tf32: /* the low 13 bits are ignored */
        bits &= 0xffffe000;
        break;
    default:
        break;
    }
    memcpy(&v, &bits, sizeof v);
    return v;
}

static int32_t
integer_value(enum ptx_type t, uint32_t bits)
{
    switch (t) {
    case PTX_s8:
        return (int8_t)bits;
    case PTX_s4:
        return (int32_t)(bits ^ 8) - 8;
    default: /* u8, u4, b1; s32 is all of it */
        return (int32_t)bits;
    }
}

static void
gather_floats(const struct fragment *f, const uint8_t *regs, float *out)
{
    const uint16_t *at = f->at;

    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < f->elements; i++)
            out[*at++] = float_value(f->type, (uint32_t)fragment_get(regs, f, lane, i));
}

static void
gather_integers(const struct fragment *f, const uint8_t *regs, int32_t *out)
{
    const uint16_t *at = f->at;

    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < f->elements; i++)
            out[*at++] = integer_value(f->type, (uint32_t)fragment_get(regs, f, lane, i));
}

static void
gather_doubles(const struct fragment *f, const uint8_t *regs, double *out)
{
    const uint16_t *at = f->at;

    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < f->elements; i++) {
            uint64_t bits = fragment_get(regs, f, lane, i);

            memcpy(&out[*at++], &bits, sizeof bits);
        }
}

/* --- sparse matrices (9.7.15.6.1, .2) ------------------------------------ */

/* The four bits that say which elements a has in one chunk of a row. If the metadata of a
 * row has 16 bits, one lane of four holds it, for the upper rows in the lower half. If it
 * has more, the lanes of a pair or quad hold it. */
static unsigned
chunk_metadata(const struct multiply *op, const uint32_t *words, unsigned row,
               unsigned chunk, unsigned chunks)
{
    unsigned lane = (row & 7) * 4, lower = row >> 3, bit;

    if (chunks <= 4) {
        lane += op->selector;
        bit = 16 * lower + 4 * chunk;
    } else if (matrix_bits(op->a.type) >= 16) {
        lane += 2 * op->selector + chunk / 4;
        bit = 16 * lower + 4 * (chunk % 4);
    } else {
        lane += 2 * op->selector + lower + chunk / 8 * 2;
        bit = 4 * (chunk % 8);
    }
    return words[lane] >> bit & 15;
}

/* The column of dense a to which element j of a row of sparse a belongs. */
static unsigned
dense_column(const struct multiply *op, const uint32_t *words, unsigned row, unsigned j)
{
    unsigned bits = matrix_bits(op->a.type), k = op->shape.k;
    unsigned chunk, m;

    if (bits == 32) { /* one of two */
        m = chunk_metadata(op, words, row, j, k / 2);
        return j * 2 + (m >> 1 & 1);
    }
    if (bits == 4) { /* two pairs of four */
        chunk = j / 4;
        m = chunk_metadata(op, words, row, chunk, k / 8);
        return chunk * 8 + (m >> (j & 2) & 3) * 2 + (j & 1);
    }
    chunk = j / 2; /* two of four */
    m = chunk_metadata(op, words, row, chunk, k / 4);
    return chunk * 4 + (m >> (2 * (j & 1)) & 3);
}

/* Spreads the rows of sparse a, whose elements have 4 bytes, over k columns. present[]
 * says which elements are there. */
static void
make_dense(const struct multiply *op, const uint8_t *regs, uint32_t *a, uint8_t *present)
{
    uint32_t sparse[MATRIX_ELEMENTS / 2];
    const uint32_t *words = (const uint32_t *)(const void *)(regs + op->metadata_vector);
    unsigned m = op->shape.m, k = op->shape.k;

    memcpy(sparse, a, (size_t)m * k / 2 * sizeof *a);
    memset(a, 0, (size_t)m * k * sizeof *a);
    memset(present, 0, (size_t)m * k);
    for (unsigned row = 0; row < m; row++)
        for (unsigned j = 0; j < k / 2; j++) {
            unsigned at = row * k + dense_column(op, words, row, j);

            a[at] = sparse[row * (k / 2) + j];
            present[at] = 1;
        }
}

/* --- products ------------------------------------------------------------ */

static void
multiply_floats(const struct multiply *op, uint8_t *regs)
{
    float a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], c[MATRIX_ELEMENTS / 4] = {0};
    unsigned m = op->shape.m, n = op->shape.n, k = op->shape.k;
    uint8_t present[MATRIX_ELEMENTS];
    struct matrix_sum sum = {m,          n,          k,
                             op->a.type, op->d.type, op->sparse ? present : NULL};
    const uint16_t *at = op->d.at;

    gather_floats(&op->a, regs, a);
    gather_floats(&op->b, regs, b);
    gather_floats(&op->c, regs, c);
    if (op->sparse)
        make_dense(op, regs, (uint32_t *)(void *)a, present);
    for (unsigned i = 0; i < op->a.batch; i++)
        matrix_sum(&sum, a + i * m * k, b + i * k * n, c + i * m * n);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < op->d.elements; i++) {
            float v = c[*at++];
            uint32_t bits;

            if (op->d.type == PTX_f16)
                bits =
                    small_from_double(SMALL_F16, (double)v, ROUND_NEAREST, op->satfinite);
            else
                memcpy(&bits, &v, sizeof bits);
            fragment_set(regs, &op->d, lane, i, bits);
        }
}

/* Makes one fused multiply-add after the other along k, each of which is rounded. */
static void
multiply_doubles(const struct multiply *op, uint8_t *regs)
{
    double a[LANES * MATRIX_REGS], b[LANES * MATRIX_REGS], c[LANES * MATRIX_REGS];
    unsigned m = op->shape.m, n = op->shape.n, k = op->shape.k;
    const uint16_t *at = op->d.at;

    gather_doubles(&op->a, regs, a);
    gather_doubles(&op->b, regs, b);
    gather_doubles(&op->c, regs, c);
    for (unsigned i = 0; i < m; i++)
        for (unsigned x = 0; x < k; x++)
            for (unsigned j = 0; j < n; j++)
                c[i * n + j] = fma(a[i * k + x], b[x * n + j], c[i * n + j]);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < op->d.elements; i++) {
            uint64_t bits;

            memcpy(&bits, &c[*at++], sizeof bits);
            fragment_set(regs, &op->d, lane, i, bits);
        }
}

/* Sums of integers wrap, or with .satfinite stay in range. */
static void
multiply_integers(const struct multiply *op, uint8_t *regs)
{
    int32_t a[MATRIX_ELEMENTS], b[MATRIX_ELEMENTS], c[MATRIX_ELEMENTS / 4] = {0};
    uint8_t present[MATRIX_ELEMENTS];
    unsigned m = op->shape.m, n = op->shape.n, k = op->shape.k;
    const uint16_t *at = op->d.at;

    gather_integers(&op->a, regs, a);
    gather_integers(&op->b, regs, b);
    gather_integers(&op->c, regs, c);
    if (op->sparse)
        make_dense(op, regs, (uint32_t *)(void *)a, present);
    for (unsigned i = 0; i < m; i++)
        for (unsigned j = 0; j < n; j++) {
            int32_t sum = 0; /* at most 256 products below 2^16 */
            int64_t v;

            if (op->arithmetic == BITS_XOR)
                for (unsigned x = 0; x < k; x++)
                    sum += a[i * k + x] ^ b[x * n + j];
            else
                for (unsigned x = 0; x < k; x++)
                    sum += a[i * k + x] * b[x * n + j];
            v = (int64_t)c[i * n + j] + sum;
            if (op->satfinite)
                v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
            c[i * n + j] = (int32_t)(uint32_t)(uint64_t)v;
        }
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < op->d.elements; i++)
            fragment_set(regs, &op->d, lane, i, (uint32_t)c[*at++]);
}

static bool
run_multiply(struct warp *w, const struct part *parts, uint32_t count)
{
    const struct multiply *op = multiply_of(parts[0].in);

    if (!matrix_whole_warp(w, parts, count))
        return false;
    switch (op->arithmetic) {
    case FLOATS:
        multiply_floats(op, parts[0].regs);
        break;
    case DOUBLES:
        multiply_doubles(op, parts[0].regs);
        break;
    default:
        multiply_integers(op, parts[0].regs);
        break;
    }
    return true;
}

/* --- decoding ------------------------------------------------------------ */

/* Finds how matrices of the types of d, a, b and c are multiplied. -1: they do not go
 * together. */
static int
arithmetic_of(struct decoder *d, const struct ptx_insn *in, const struct multiply *op)
{
    enum ptx_type ta = op->a.type, tb = op->b.type, tc = op->c.type, td = op->d.type;
    bool eights =
        (ta == PTX_e4m3 || ta == PTX_e5m2) && (tb == PTX_e4m3 || tb == PTX_e5m2);
    bool bytes = (ta == PTX_s8 || ta == PTX_u8) && (tb == PTX_s8 || tb == PTX_u8);
    bool nibbles = (ta == PTX_s4 || ta == PTX_u4) && (tb == PTX_s4 || tb == PTX_u4);

    if (bytes || nibbles)
        return tc == PTX_s32 && td == PTX_s32 ? INTEGERS : -1;
    if (ta == PTX_b1 && tb == PTX_b1 && tc == PTX_s32 && td == PTX_s32 &&
        mod_read(d, in, PTX_MOD_popc))
        return mod_read(d, in, PTX_MOD_xor_)   ? BITS_XOR
               : mod_read(d, in, PTX_MOD_and_) ? BITS_AND
                                               : -1;
    if (ta == PTX_f64 && tb == PTX_f64)
        return tc == PTX_f64 && td == PTX_f64 ? DOUBLES : -1;
    if ((ta == PTX_f16 && tb == PTX_f16) || eights)
        return (tc == PTX_f16 || tc == PTX_f32) && (td == PTX_f16 || td == PTX_f32)
                   ? FLOATS
                   : -1;
    if (ta == tb && (ta == PTX_bf16 || ta == PTX_tf32))
        return tc == PTX_f32 && td == PTX_f32 ? FLOATS : -1;
    return -1;
}

/* Decodes .row.col and the like, which are the layouts of a and of b. */
static int
decode_orders(struct decoder *d, const struct ptx_insn *in, bool *a_by_column,
              bool *b_by_column)
{
    unsigned found = 0;

    for (unsigned i = 0; i < in->mod_count; i++) {
        bool by_column = in->mods[i] == PTX_MOD_col;

        if (!by_column && in->mods[i] != PTX_MOD_row)
            continue;
        mod_read_at(d, i);
        if (found == 0)
            *a_by_column = by_column;
        else
            *b_by_column = by_column;
        found++;
    }
    return found == 2 ? 0 : -1;
}

/* Decodes the types of d, a, b and c. wmma of f16 names those of d and c only. */
static int
decode_types(struct decoder *d, const struct ptx_insn *in, struct multiply *op)
{
    if (in->type_count != 4 && (in->type_count != 2 || in->op != PTX_OP_wmma))
        return -1;
    op->d.type = type_read(d, in, 0);
    op->a.type = op->b.type = PTX_f16;
    op->c.type = type_read(d, in, in->type_count - 1);
    if (in->type_count == 4) {
        op->a.type = type_read(d, in, 1);
        op->b.type = type_read(d, in, 2);
    }
    return 0;
}

/* Counts the flops of a lane's part, and how long tensor cores take for them. A warp has
 * the tensor core of its scheduler. */
static void
count_product(struct decoder *d, const struct ptx_insn *in, enum ptx_type type,
              uint32_t flops)
{
    const struct device_model *model = machine_of(d)->device;
    double rate;

    switch (type) {
    case PTX_f16:
    case PTX_bf16:
        rate = model->tensor_flops;
        break;
    case PTX_tf32:
        rate = model->tensor_tf32_flops;
        break;
    case PTX_f64:
        rate = model->tensor_f64_flops;
        break;
    default:
        rate = model->tensor_byte_flops;
        break;
    }
    critical_occupy(d, in, (uint32_t)(flops * 32 * model->schedulers_per_sm / rate));
    count_work(d, WORK_TENSOR, flops);
    count_work(d, WORK_TENSOR_TIME, (uint32_t)(flops * model->tensor_flops / rate));
}

static void
set_size(struct fragment *f, unsigned rows, unsigned columns, unsigned batch)
{
    f->rows = rows;
    f->columns = columns;
    f->batch = batch;
}

/* Decodes metadata and selector, which mma.sp{::ordered_metadata} has behind c
 * (9.7.15.6). */
static int
decode_metadata(struct decoder *d, const struct ptx_insn *in, struct multiply *op)
{
    const struct ptx_operand *o = in->operands;

    if (in->operand_count != 6 || o[5].kind != PTX_OPERAND_INT || o[5].bits > 3 ||
        op->shape.m != 16 || matrix_bits(op->a.type) < 4)
        return -1;
    op->metadata_vector = source(d, &o[4], PTX_b32);
    operand_read(d, &o[5], OPERAND_VALUE);
    op->selector = (uint32_t)o[5].bits;
    if (op->metadata_vector == UINT32_MAX)
        return -1;
    return 0;
}

int
decode_multiply(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    const struct matrix_shape *shape = matrix_shape(d, in);
    struct multiply *op = kernel_alloc(d, sizeof *op);
    bool a_by_column = false, b_by_column = false, quads;
    enum layout layout = in->op == PTX_OP_wmma ? LAYOUT_OPAQUE : LAYOUT_MMA;
    int arithmetic;

    if (op == NULL || shape == NULL || in->operand_count < 4 ||
        decode_types(d, in, op) != 0 || (arithmetic = arithmetic_of(d, in, op)) < 0 ||
        !mod_read(d, in, PTX_MOD_sync) ||
        mod_read(d, in, PTX_MOD_mma) != (in->op == PTX_OP_wmma) ||
        decode_orders(d, in, &a_by_column, &b_by_column) != 0)
        return -1;
    op->sync.kind = SYNC_MATRIX;
    op->sync.member_vector = UINT32_MAX;
    op->sync.run = run_multiply;
    op->shape = *shape;
    op->arithmetic = (enum arithmetic)arithmetic;
    op->satfinite = (arithmetic == INTEGERS || in->op == PTX_OP_wmma) &&
                    mod_read(d, in, PTX_MOD_satfinite);
    op->sparse = mod_read(d, in, PTX_MOD_sp) || mod_read(d, in, PTX_MOD_sp_ordered);
    quads =
        layout == LAYOUT_MMA && shape->k == 4 && shape->m == 8 && op->a.type == PTX_f16;
    if (quads)
        layout = LAYOUT_QUADS;
    else if (layout == LAYOUT_MMA && (a_by_column || !b_by_column))
        return -1;
    set_size(&op->a, shape->m, op->sparse ? shape->k / 2u : shape->k, quads ? 4 : 1);
    set_size(&op->b, shape->k, shape->n, quads ? 4 : 1);
    set_size(&op->c, shape->m, shape->n, quads ? 4 : 1);
    set_size(&op->d, shape->m, shape->n, quads ? 4 : 1);
    if (decode_fragment(d, &o[0], &op->d, true) != 0 ||
        decode_fragment(d, &o[1], &op->a, false) != 0 ||
        decode_fragment(d, &o[2], &op->b, false) != 0 ||
        decode_fragment(d, &o[3], &op->c, false) != 0 ||
        fragment_place(d, &op->a, MATRIX_A, layout, a_by_column) != 0 ||
        fragment_place(d, &op->b, MATRIX_B, layout, b_by_column) != 0 ||
        fragment_place(d, &op->c, MATRIX_C, layout, false) != 0 ||
        fragment_place(d, &op->d, MATRIX_C, layout, false) != 0 ||
        (op->sparse && decode_metadata(d, in, op) != 0))
        return -1;
    count_product(d, in, op->a.type, 2u * shape->m * shape->n * shape->k / LANES);
    /* For the budget it counts as the same product without tensor cores: a multiply-add
     * of each lane is an instruction. */
    count_instructions(d, (uint32_t)shape->m * shape->n * shape->k / LANES);
    emit(d, op_sync)->extra = &op->sync.extra;
    return 0;
}

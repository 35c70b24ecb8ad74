/*
 * Extended precision (PTX ISA 9.7.2): addition, subtraction and multiplication with the
 * carry of .cc. The carry is a predicate of the frame.
 *
 * A subtraction adds the complement: a - b is a + ~b + 1. So its carry is 1 where it
 * borrows nothing, and an addc or madc after sub.cc adds that 1. An H200 gave the same
 * for each pair of them (tests/golden/ptx/carry-h200.txt).
 */
#include "../decode/families.h"
#include "../decode/opcode.h"
#include "../warp.h"

#include <string.h>

static int64_t
signed_of(uint64_t x, unsigned bits)
{
    return bits == 32 ? (int32_t)x : (int64_t)x;
}

enum { CARRY_IN = 1, CARRY_OUT = 2, CARRY_SUB = 4, CARRY_MAD_LO = 8, CARRY_MAD_HI = 16 };

/* extra: lane vectors d, a, b, c, carry; imm: width in bytes; x: CARRY_*; y: 1 signed
 * product */
static const struct insn *
op_carry(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    unsigned bytes = (unsigned)e->imm, bits = bytes * 8;
    uint32_t *carry = (uint32_t *)(void *)(w->regs + e->vectors[4]);
    uint64_t top = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t v[3] = {0}, cin = (in->x & CARRY_IN) ? *carry >> lane & 1 : 0, r, out;
        unsigned __int128 sum;

        for (uint32_t i = 0; i < e->count; i++)
            memcpy(&v[i], w->regs + e->vectors[i + 1] + lane * bytes, bytes);
        if (in->x & (CARRY_MAD_LO | CARRY_MAD_HI)) {
            __int128 p = in->y ? (__int128)signed_of(v[0], bits) * signed_of(v[1], bits)
                               : (__int128)((unsigned __int128)v[0] * v[1]);
            uint64_t part = (uint64_t)((in->x & CARRY_MAD_HI) ? p >> bits : p) & top;

            v[0] = part;
            v[1] = v[2];
        }
        if (in->x & CARRY_SUB) {
            v[1] = ~v[1] & top;
            cin = (in->x & CARRY_IN) ? cin : 1;
        }
        sum = (unsigned __int128)v[0] + v[1] + cin;
        out = sum > top;
        r = (uint64_t)sum;
        memcpy(w->regs + e->vectors[0] + lane * bytes, &r, bytes);
        if (in->x & CARRY_OUT)
            *carry = (*carry & ~(1u << lane)) | (uint32_t)out << lane;
    }
    return in + 1;
}

int
decode_carry(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type t = type_read(d, in, 0);
    unsigned bytes = ptx_type_bytes(t);
    bool mad = in->op == PTX_OP_mad || in->op == PTX_OP_madc;
    bool adds = mad || in->op == PTX_OP_add || in->op == PTX_OP_addc ||
                in->op == PTX_OP_sub || in->op == PTX_OP_subc;
    enum ptx_mod part = mad ? MOD_READ_ANY(d, in, PTX_MOD_lo, PTX_MOD_hi) : PTX_MOD_lo;
    struct extra *e = kernel_alloc(d, sizeof *e);
    struct insn *out;
    uint32_t x = 0;

    if (e == NULL || !adds || part == PTX_MOD_UNKNOWN || (bytes != 4 && bytes != 8) ||
        (ptx_type_class(t) != PTX_CLASS_UINT && ptx_type_class(t) != PTX_CLASS_SINT) ||
        in->operand_count != (mad ? 4 : 3))
        return -1;
    e->count = in->operand_count - 1u;
    e->vectors[0] = destination(d, &in->operands[0], bytes);
    e->vectors[4] = carry_vector(d);
    e->imm = bytes;
    if (e->vectors[0] == UINT32_MAX)
        return -1;
    for (uint32_t i = 0; i < e->count; i++) {
        e->vectors[i + 1] = source(d, &in->operands[i + 1], t);
        if (e->vectors[i + 1] == UINT32_MAX)
            return -1;
    }
    x |= mod_read(d, in, PTX_MOD_cc) ? CARRY_OUT : 0;
    x |= in->op == PTX_OP_addc || in->op == PTX_OP_subc || in->op == PTX_OP_madc
             ? CARRY_IN
             : 0;
    x |= in->op == PTX_OP_sub || in->op == PTX_OP_subc ? CARRY_SUB : 0;
    if (mad)
        x |= part == PTX_MOD_hi ? CARRY_MAD_HI : CARRY_MAD_LO;
    count_unit(d, in);
    out = emit(d, op_carry);
    out->extra = e;
    out->x = x;
    out->y = ptx_type_class(t) == PTX_CLASS_SINT;
    return 0;
}

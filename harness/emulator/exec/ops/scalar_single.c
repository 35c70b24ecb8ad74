/*
 * Single precision outside of the lane tables: pairs (f32x2 of PTX ISA 9.7.3) and mixed
 * precision (9.7.5), where one operand or two are halves. The processor's rounding modes
 * and its FTZ and DAZ are the ISA's.
 */
#include "../decode/families.h"
#include "half.h"
#include "scalar.h"

#include <math.h>
#include <string.h>
#include <xmmintrin.h>

/* Flags. Bits 0 to 7 are the opcode. */
enum {
    SINGLE_TYPE = 8, /* bits 8 to 15: type of the narrow operands; NONE: f32 */
    SINGLE_SAT = 1 << 16,
    SINGLE_FTZ = 1 << 17,
    SINGLE_ROUND = 18, /* bits 18 and 19: enum rounding */
};

enum { MXCSR_FLUSH = 0x8040 }; /* FTZ and DAZ */

static float
float_of(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float f;

    memcpy(&f, &word, sizeof f);
    return f;
}

static uint32_t
compute(float a, float b, float c, uint32_t flags)
{
    static const unsigned modes[] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO,
                                     _MM_ROUND_DOWN, _MM_ROUND_UP};
    unsigned saved = _mm_getcsr();
    volatile float x = a, y = b, z = c, r;
    float result;
    uint32_t word;

    _mm_setcsr((saved & ~(unsigned)_MM_ROUND_MASK) | modes[flags >> SINGLE_ROUND & 3] |
               ((flags & SINGLE_FTZ) ? MXCSR_FLUSH : 0));
    switch ((enum ptx_op)(flags & 0xff)) {
    case PTX_OP_add:
        r = x + y;
        break;
    case PTX_OP_sub:
        r = x - y;
        break;
    case PTX_OP_mul:
        r = x * y;
        break;
    default:
        r = __builtin_fmaf(x, y, z);
        break;
    }
    _mm_setcsr(saved);
    result = r;
    if (flags & SINGLE_SAT)
        result = result > 0 ? (result < 1 ? result : 1.0f) : 0.0f;
    memcpy(&word, &result, sizeof word);
    return isnan(result) ? 0x7fffffff : word;
}

static uint64_t
s_pair(const uint64_t *v, uint32_t flags)
{
    uint32_t low = compute(float_of(v[0]), float_of(v[1]), float_of(v[2]), flags);
    uint32_t high =
        compute(float_of(v[0] >> 32), float_of(v[1] >> 32), float_of(v[2] >> 32), flags);

    return (uint64_t)high << 32 | low;
}

/* add, sub: the first operand is the narrow one; fma: the first two. */
static uint64_t
s_mixed(const uint64_t *v, uint32_t flags)
{
    enum ptx_type narrow = (enum ptx_type)(flags >> SINGLE_TYPE & 0xff);
    bool is_fma = (flags & 0xff) == PTX_OP_fma;
    float a = (float)value_of(v[0], narrow);
    float b = is_fma ? (float)value_of(v[1], narrow) : float_of(v[1]);

    return compute(a, b, float_of(v[2]), flags);
}

static uint32_t
flags_of(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_mod mode =
        MOD_READ_ANY(d, in, PTX_MOD_rn, PTX_MOD_rz, PTX_MOD_rm, PTX_MOD_rp);
    enum rounding r = mode == PTX_MOD_rz   ? ROUND_ZERO
                      : mode == PTX_MOD_rm ? ROUND_DOWN
                      : mode == PTX_MOD_rp ? ROUND_UP
                                           : ROUND_NEAREST;

    return (uint32_t)in->op | (uint32_t)r << SINGLE_ROUND |
           (mod_read(d, in, PTX_MOD_sat) ? SINGLE_SAT : 0) |
           (mod_read(d, in, PTX_MOD_ftz) ? SINGLE_FTZ : 0);
}

int
decode_single(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type t = type_read(d, in, 0), narrow = type_read(d, in, 1);
    bool is_fma = in->op == PTX_OP_fma;
    uint32_t count = is_fma ? 3 : 2, flags = flags_of(d, in);

    if ((in->op != PTX_OP_add && in->op != PTX_OP_sub && in->op != PTX_OP_mul &&
         !is_fma) ||
        in->operand_count != count + 1)
        return -1;
    count_work(d, WORK_FP32, t == PTX_f32x2 ? 2 : 1);
    if (t == PTX_f32x2 && in->type_count == 1 && !(flags & SINGLE_SAT))
        return emit_scalar(d, in, s_pair, flags, PTX_b64,
                           (enum ptx_type[]){PTX_b64, PTX_b64, PTX_b64}, count);
    if (t == PTX_f32 && in->type_count == 2 && in->op != PTX_OP_mul &&
        !(flags & SINGLE_FTZ) && (narrow == PTX_f16 || narrow == PTX_bf16))
        return emit_scalar(
            d, in, s_mixed, flags | (uint32_t)narrow << SINGLE_TYPE, PTX_f32,
            (enum ptx_type[]){narrow, is_fma ? narrow : PTX_f32, PTX_f32}, count);
    return -1;
}

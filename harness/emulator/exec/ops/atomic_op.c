/*
 * What atom and red do to one element (PTX ISA 9.7.13.5, .6): the new value of an old one
 * and of the operands b and c.
 */
#include "atomic_op.h"

#include "half.h"

#include <math.h>
#include <string.h>

/* --- values ---------------------------------------------------------------- */

static uint64_t
add_floats(uint64_t old, uint64_t b, enum ptx_type t)
{
    uint32_t wo = (uint32_t)old, wb = (uint32_t)b;
    double x, y;
    float fo, fb;

    switch (t) {
    case PTX_f32:
        memcpy(&fo, &wo, 4);
        memcpy(&fb, &wb, 4);
        fo += fb;
        memcpy(&wo, &fo, 4);
        return fo == fo ? wo : 0x7fffffff;
    case PTX_f64:
        memcpy(&x, &old, 8);
        memcpy(&y, &b, 8);
        if (isnan(x) || isnan(y))
            return (isnan(x) ? old : b) | 0x0008000000000000u;
        x += y;
        memcpy(&old, &x, 8);
        return old;
    default: {
        enum small_format f = t == PTX_bf16 || t == PTX_bf16x2 ? SMALL_BF16 : SMALL_F16;
        uint32_t low = small_from_double(
            f, small_to_double(f, wo & 0xffff) + small_to_double(f, wb & 0xffff),
            ROUND_NEAREST, false);
        uint32_t high = small_from_double(
            f, small_to_double(f, wo >> 16) + small_to_double(f, wb >> 16), ROUND_NEAREST,
            false);

        return t == PTX_f16 || t == PTX_bf16 ? low : high << 16 | low;
    }
    }
}

static bool
is_less(uint64_t a, uint64_t b, enum ptx_type t)
{
    if (t == PTX_s32)
        return (int32_t)a < (int32_t)b;
    return t == PTX_s64 ? (int64_t)a < (int64_t)b : a < b;
}

bool
atomic_is_half(enum ptx_type t)
{
    return t == PTX_f16 || t == PTX_bf16 || t == PTX_f16x2 || t == PTX_bf16x2;
}

/* min and max of halves, which vectors have. A NaN loses, and -0 is less than +0. */
static uint32_t
minmax_half(uint32_t old, uint32_t b, enum small_format f, bool want_max)
{
    double x = small_to_double(f, old & 0xffff), y = small_to_double(f, b & 0xffff);
    bool less = x < y || (x == y && signbit(x) && !signbit(y));

    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y) ? 0x7fff : isnan(x) ? b & 0xffff : old & 0xffff;
    return (less == want_max ? b : old) & 0xffff;
}

static uint64_t
minmax_halves(uint64_t old, uint64_t b, enum ptx_type t, bool want_max)
{
    enum small_format f = t == PTX_bf16 || t == PTX_bf16x2 ? SMALL_BF16 : SMALL_F16;
    uint32_t low = minmax_half((uint32_t)old, (uint32_t)b, f, want_max);

    if (ptx_type_bytes(t) == 2)
        return low;
    return low | minmax_half((uint32_t)(old >> 16), (uint32_t)(b >> 16), f, want_max)
                     << 16;
}

uint64_t
atomic_combine(const struct atomic_op *a, uint64_t old, uint64_t b, uint64_t c)
{
    switch (a->op) {
    case PTX_MOD_add:
        return ptx_type_class(a->type) == PTX_CLASS_FLOAT ||
                       ptx_type_class(a->type) == PTX_CLASS_PACKED
                   ? add_floats(old, b, a->type)
                   : old + b;
    case PTX_MOD_exch:
        return b;
    case PTX_MOD_cas:
        return old == b ? c : old;
    case PTX_MOD_min:
    case PTX_MOD_max:
        if (atomic_is_half(a->type))
            return minmax_halves(old, b, a->type, a->op == PTX_MOD_max);
        if (a->op == PTX_MOD_max)
            return is_less(old, b, a->type) ? b : old;
        return is_less(b, old, a->type) ? b : old;
    case PTX_MOD_and_:
        return old & b;
    case PTX_MOD_or_:
        return old | b;
    case PTX_MOD_xor_:
        return old ^ b;
    case PTX_MOD_inc:
        return old >= b ? 0 : old + 1;
    default: /* dec */
        return old == 0 || old > b ? b : old - 1;
    }
}

/* 9.7.13.5: f32 additions to global memory, unlike shared, flush subnormals to zero. */
static uint64_t
flushed(uint64_t word)
{
    return (word & 0x7f800000) == 0 ? word & 0x80000000 : word;
}

static bool
is_nan_f64(uint64_t bits)
{
    return bits << 1 > 0xffe0000000000000u;
}

static uint64_t
combine_global(const struct atomic_op *a, uint64_t old, uint64_t b, uint64_t c)
{
    if (a->op == PTX_MOD_add && a->type == PTX_f64 && is_nan_f64(b))
        return b; /* unchanged, signalling or not (seen on an H200) */
    if (a->op == PTX_MOD_add && a->type == PTX_f64 && is_nan_f64(old))
        return old;
    if (a->op == PTX_MOD_add && a->type == PTX_f32)
        return flushed(atomic_combine(a, flushed(old), flushed(b), c));
    return atomic_combine(a, old, b, c);
}

#define UPDATE(T)                                                                        \
    {                                                                                    \
        T *p = (T *)(void *)host;                                                        \
        T old = __atomic_load_n(p, __ATOMIC_RELAXED);                                    \
                                                                                         \
        while (!__atomic_compare_exchange_n(p, &old, (T)combine_global(a, old, b, c),    \
                                            true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))   \
            ;                                                                            \
        return old;                                                                      \
    }

uint64_t
atomic_update_together(const struct atomic_op *a, uint8_t *host, uint64_t b, uint64_t c)
{
    if (a->bytes == 4)
        UPDATE(uint32_t)
    if (a->bytes == 8)
        UPDATE(uint64_t)
    UPDATE(uint16_t)
}

uint64_t
atomic_update_alone(const struct atomic_op *a, uint8_t *host, uint64_t b, uint64_t c)
{
    uint64_t old = 0, now;

    memcpy(&old, host, a->bytes);
    now = atomic_combine(a, old, b, c);
    memcpy(host, &now, a->bytes);
    return old;
}

bool
atomic_fits(const struct atomic_op *a)
{
    enum ptx_class class = ptx_type_class(a->type);
    bool is_float = class == PTX_CLASS_FLOAT || atomic_is_half(a->type);

    if (ptx_type_bytes(a->type) > 8 || ptx_type_bytes(a->type) < 2 ||
        (class == PTX_CLASS_PACKED && !is_float))
        return false;
    if (is_float)
        return a->op == PTX_MOD_add || a->op == PTX_MOD_exch;
    return ptx_type_bytes(a->type) >= 4 || a->op == PTX_MOD_cas;
}

/* --- reductions of bulk copies --------------------------------------------- */

static struct atomic_op
reduction_of(enum ptx_mod op, enum ptx_type type)
{
    return (struct atomic_op){
        .op = op, .type = type, .bytes = (uint8_t)ptx_type_bytes(type)};
}

bool
reduction_fits(enum ptx_mod op, enum ptx_type type)
{
    struct atomic_op a = reduction_of(op, type);

    return op != PTX_MOD_UNKNOWN && op != PTX_MOD_exch && op != PTX_MOD_cas &&
           type != PTX_b128 && atomic_fits(&a);
}

void
reduction_update(enum ptx_mod op, enum ptx_type type, bool global, uint8_t *host,
                 uint64_t value)
{
    struct atomic_op a = reduction_of(op, type);

    if (global)
        atomic_update_together(&a, host, value, 0);
    else
        atomic_update_alone(&a, host, value, 0);
}

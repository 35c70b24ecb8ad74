/*
 * The rarer arithmetic, one lane at a time: a function of up to six values and flags. An
 * instruction that becomes frequent moves to the lane tables.
 */
#include "scalar.h"

#include "../warp.h"

/* One lane's element of a lane vector; width 0: of a predicate. It is read as it was
 * written, because the processor waits where it reads one value from several pieces. */
static inline uint64_t
get_value(const uint8_t *vector, uint32_t width, unsigned lane)
{
    switch (width) {
    case 0:
        return *(const uint32_t *)(const void *)vector >> lane & 1;
    case 2:
        return ((const uint16_t *)(const void *)vector)[lane];
    case 4:
        return ((const uint32_t *)(const void *)vector)[lane];
    default:
        return ((const uint64_t *)(const void *)vector)[lane];
    }
}

static inline void
put_value(uint8_t *vector, uint32_t width, unsigned lane, uint64_t v)
{
    uint32_t *bits = (uint32_t *)(void *)vector;

    switch (width) {
    case 0:
        *bits = (*bits & ~(1u << lane)) | (uint32_t)(v & 1) << lane;
        break;
    case 2:
        ((uint16_t *)(void *)vector)[lane] = (uint16_t)v;
        break;
    case 4:
        ((uint32_t *)(void *)vector)[lane] = (uint32_t)v;
        break;
    default:
        ((uint64_t *)(void *)vector)[lane] = v;
        break;
    }
}

/* scalar.h says what extra holds; a width of 0 is a predicate's. */
const struct insn *
op_scalar(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    uint32_t flags = (uint32_t)e->imm;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t v[6] = {0};

        for (uint32_t i = 0; i < e->count; i++)
            v[i] = get_value(w->regs + e->vectors[i + 1], e->widths[i + 1], lane);
        put_value(w->regs + e->vectors[0], e->widths[0], lane, e->scalar(v, flags));
    }
    return in + 1;
}

/* Emits the handler for whole lane vectors, if the lane tables have one. They know the
 * form without modifiers, and that with .rn. */
static bool
emit_whole(struct decoder *d, const struct ptx_insn *in, const struct extra *e)
{
    struct lane_key key = {in->op, (enum ptx_type)in->types[0], PTX_TYPE_NONE,
                           LANE_WHOLE};
    struct insn out = {.d = e->vectors[0], .a = e->vectors[1]};

    if (in->mod_count > 1 || (in->mod_count == 1 && in->mods[0] != PTX_MOD_rn) ||
        in->type_count != 1 || e->count > 3)
        return false;
    out.fn = lane_handler(d, key);
    if (out.fn == NULL)
        return false;
    out.b = e->count > 1 ? e->vectors[2] : 0;
    out.c = e->count > 2 ? e->vectors[3] : 0;
    *emit(d, out.fn) = out;
    return true;
}

int
emit_scalar(struct decoder *d, const struct ptx_insn *in,
            uint64_t (*fn)(const uint64_t *, uint32_t), uint32_t flags,
            enum ptx_type result, const enum ptx_type *types, uint32_t count)
{
    struct extra *e;
    bool negated = false;

    if (in->operand_count < count + 1 || count > 6 ||
        !operand_fits(&in->operands[0], result))
        return -1;
    e = kernel_alloc(d, sizeof *e);
    if (e == NULL)
        return -1;
    e->scalar = fn;
    e->imm = flags;
    e->count = count;
    e->widths[0] = (uint8_t)(result == PTX_pred ? 0 : register_bytes(result));
    e->vectors[0] = destination(d, &in->operands[0], e->widths[0]);
    if (e->vectors[0] == UINT32_MAX)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *o = &in->operands[i + 1];

        e->widths[i + 1] = (uint8_t)(types[i] == PTX_pred ? 0 : register_bytes(types[i]));
        e->vectors[i + 1] =
            types[i] == PTX_pred ? predicate(d, o, &negated) : source(d, o, types[i]);
        if (e->vectors[i + 1] == UINT32_MAX || negated)
            return -1;
    }
    if (!emit_whole(d, in, e))
        emit(d, op_scalar)->extra = e;
    return 0;
}

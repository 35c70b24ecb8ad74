/*
 * alloca, stacksave and stackrestore (PTX ISA 9.7.15). A function that has one of them
 * gets a fixed part of its frame's local memory as its stack. Here the stack grows
 * upwards. A lane vector of the frame holds how many bytes of it are in use.
 */
#include "../decode/emit.h"
#include "../decode/families.h"
#include "../warp_fault.h"

enum { STACK_BYTES = 16 << 10 };

struct stack
stack_place(struct decoder *d, uint32_t *at)
{
    struct stack s = {.used_vector = UINT32_MAX};
    bool used = false;

    for (uint32_t i = 0; i < function_of(d)->insn_count; i++)
        used |= function_of(d)->insns[i].op == PTX_OP_alloca ||
                function_of(d)->insns[i].op == PTX_OP_stacksave;
    if (!used)
        return s;
    s.offset = (*at + 15) & ~15u;
    *at = s.offset + STACK_BYTES;
    s.used_vector = new_cleared_vector(d, 4);
    return s;
}

/* a = bytes wanted (64 bits), b = bytes in use, c = address of the stack, x = alignment,
 * y = bytes of an address. */
static const struct insn *
op_alloca(struct warp *w, const struct insn *in)
{
    const uint64_t *bytes = (const uint64_t *)(const void *)(w->regs + in->a);
    uint32_t *used = (uint32_t *)(void *)(w->regs + in->b);
    const uint64_t *base = (const uint64_t *)(const void *)(w->regs + in->c);

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = (base[lane] + used[lane] + in->x - 1) & ~(uint64_t)(in->x - 1);
        uint64_t start = address - base[lane];

        if (start > STACK_BYTES || bytes[lane] > STACK_BYTES - start)
            return fault_at(w, in, lane, FAULT_OUT_OF_RESOURCES,
                            "alloca of %llu bytes: a thread's stack has %d",
                            (unsigned long long)bytes[lane], STACK_BYTES);
        used[lane] = (uint32_t)(start + bytes[lane]);
        __builtin_memcpy(w->regs + in->d + lane * in->y, &address, in->y);
    }
    return in + 1;
}

/* alloca.u64 pointer, bytes [, alignment] */
static int
decode_alloca(struct decoder *d, const struct ptx_insn *in, enum ptx_type type)
{
    struct insn out = {.fn = op_alloca, .b = stack_of(d).used_vector, .x = 8};
    const struct ptx_operand *o = in->operands;

    if (in->operand_count < 2 || in->operand_count > 3 || type != PTX_u64)
        return -1;
    if (in->operand_count == 3) {
        if (o[2].kind != PTX_OPERAND_INT || o[2].bits == 0 || o[2].bits > 128 ||
            (o[2].bits & (o[2].bits - 1)) != 0)
            return -1;
        operand_read(d, &o[2], OPERAND_VALUE);
        out.x = (uint32_t)o[2].bits;
    }
    out.y = 8;
    out.d = destination(d, &o[0], 8);
    out.a = source(d, &o[1], type);
    out.c = frame_address_vector(d, stack_of(d).offset);
    if (out.d == UINT32_MAX || out.a == UINT32_MAX || out.c == UINT32_MAX)
        return -1;
    *emit(d, out.fn) = out;
    return 0;
}

/* A program may restore nonsense; op_alloca bounds the bytes in use. */
static const struct insn *
op_stackrestore(struct warp *w, const struct insn *in)
{
    const uint64_t *to = (const uint64_t *)(const void *)(w->regs + in->a);
    uint32_t *used = (uint32_t *)(void *)(w->regs + in->b);

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);

        used[lane] = to[lane] < STACK_BYTES ? (uint32_t)to[lane] : STACK_BYTES;
    }
    return in + 1;
}

static const struct insn *
op_stacksave(struct warp *w, const struct insn *in)
{
    uint64_t *d = (uint64_t *)(void *)(w->regs + in->d);
    const uint32_t *used = (const uint32_t *)(const void *)(w->regs + in->b);

    for (uint32_t m = w->mask; m != 0; m &= m - 1)
        d[__builtin_ctz(m)] = used[__builtin_ctz(m)];
    return in + 1;
}

int
decode_stack(struct decoder *d, const struct ptx_insn *in)
{
    enum ptx_type type = type_read(d, in, 0);
    struct insn out = {.b = stack_of(d).used_vector};

    if (stack_of(d).used_vector == UINT32_MAX || in->type_count != 1)
        return -1;
    if (in->op == PTX_OP_alloca)
        return decode_alloca(d, in, type);
    if (in->operand_count != 1 || type != PTX_u64)
        return -1;
    if (in->op == PTX_OP_stacksave) {
        out.fn = op_stacksave;
        out.d = destination(d, &in->operands[0], 8);
    } else {
        out.fn = op_stackrestore;
        out.a = source(d, &in->operands[0], PTX_u64);
    }
    if (out.d == UINT32_MAX || out.a == UINT32_MAX)
        return -1;
    *emit(d, out.fn) = out;
    return 0;
}

#include "undefined.h"

#include "../decode/families.h"
#include "../decode/opcode.h"
#include "../source.h"
#include "../warp_fault.h"
#include "access.h"
#include "sync.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 4096 }; /* so many instructions of a warp are executed twice */

struct undefined {
    uint8_t *first, *second; /* the registers of both executions */
    const struct insn *in;   /* the shuffle */
    unsigned reader;
    uint32_t steps;
    char why[140];
    const char *advice;
};

/* --- the beginning and the end -------------------------------------------- */

void
undefined_end(struct warp *w)
{
    if (w->undefined != NULL)
        free(w->undefined->second);
    free(w->undefined);
    w->undefined = NULL;
}

static const char *
function_name(uint32_t mode)
{
    switch (mode) {
    case PTX_MOD_up:
        return "__shfl_up_sync";
    case PTX_MOD_down:
        return "__shfl_down_sync";
    case PTX_MOD_bfly:
        return "__shfl_xor_sync";
    default:
        return "__shfl_sync";
    }
}

/* Says what is wrong with the lane that is read, and what to do. */
static void
explain(const struct warp *w, uint32_t mode, unsigned source, uint32_t members,
        struct undefined *u)
{
    uint32_t threads = w->worker->run->threads_per_block - w->index * LANES;
    char why[60];

    u->advice = "let all lanes of the mask come to the shuffle, and guard the value "
                "(i < n ? x : 0) instead of the call";
    if (source >= threads) {
        snprintf(why, sizeof why, "is not there: this warp has %u threads", threads);
        u->advice = "start blocks of whole warps, with a multiple of 32 threads";
    } else if ((members >> source & 1) == 0) {
        snprintf(why, sizeof why, "is not in the mask %#x", members);
        u->advice = "the mask must name all lanes that are read, and all of them must "
                    "come to the shuffle";
    } else {
        snprintf(why, sizeof why, "has left the kernel already");
    }
    snprintf(u->why, sizeof u->why, "lane %u reads from lane %u by %s, but lane %u %s",
             u->reader, source, function_name(mode), source, why);
}

void
undefined_begin(struct warp *w, const struct part *p, unsigned reader, unsigned source,
                uint32_t members)
{
    size_t bytes = w->root.program->frame_bytes;
    struct undefined *u;
    void *second = NULL;

    if (w->undefined != NULL || p->regs != w->root.regs || bytes == 0)
        return;
    u = calloc(1, sizeof *u);
    if (u == NULL || posix_memalign(&second, 64, bytes) != 0) {
        free(u); /* only a notice is lost */
        return;
    }
    memcpy(second, p->regs, bytes);
    u->first = p->regs;
    u->second = second;
    u->in = p->in;
    u->reader = reader;
    u->steps = STEPS_MAX;
    explain(w, p->in->x, source, members, u);
    w->undefined = u;
}

uint8_t *
undefined_registers(struct warp *w, const uint8_t *regs)
{
    if (w->undefined != NULL && w->undefined->first == regs)
        return w->undefined->second;
    undefined_end(w);
    return NULL;
}

/* The instruction depends on the value. */
static const struct insn *
tell(struct warp *w, const struct insn *in)
{
    const struct undefined *u = w->undefined;
    struct fault f = {.kind = FAULT_SHUFFLE};
    char where[40] = "";

    source_of(w->worker->run->kernel->module, origin_of(w, in), f.other_file,
              sizeof f.other_file, &f.other_line);
    if (f.other_line > 0)
        snprintf(where, sizeof where, " at line %d", f.other_line);
    snprintf(f.text, sizeof f.text, "%s. The value is undefined, and it is used%s: %s",
             u->why, where, u->advice);
    notice_add(w, u->in, u->reader, &f);
    undefined_end(w);
    return in;
}

/* --- one instruction -------------------------------------------------------- */

/* Does a lane vector differ between the executions? bytes: of an element; 0: a
 * predicate. */
static bool
differs(const struct warp *w, uint32_t vector, uint32_t bytes, uint32_t mask)
{
    const uint8_t *a = w->undefined->first + vector, *b = w->undefined->second + vector;
    uint32_t p, q;

    if (bytes == 0) {
        memcpy(&p, a, sizeof p);
        memcpy(&q, b, sizeof q);
        return ((p ^ q) & mask) != 0;
    }
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        size_t at = (size_t)__builtin_ctz(m) * bytes;

        if (memcmp(a + at, b + at, bytes) != 0)
            return true;
    }
    return false;
}

static void
copy_lanes(const struct warp *w, uint32_t vector, uint32_t bytes, uint32_t mask)
{
    const struct undefined *u = w->undefined;

    for (uint32_t m = mask; m != 0; m &= m - 1) {
        size_t at = vector + (size_t)__builtin_ctz(m) * bytes;

        memcpy(u->second + at, u->first + at, bytes);
    }
}

static bool
address_differs(const struct warp *w, const struct access *ac, uint32_t mask)
{
    return ac->address != UINT32_MAX &&
           differs(w, ac->address, (ac->flags & ACCESS_WIDE_ADDRESS) != 0 ? 8 : 4, mask);
}

/* Does what a load, a store or an atomic does depend on the value? A thread's own memory
 * is not followed. */
static bool
access_differs(struct warp *w, const struct insn *in, enum ptx_op op, uint32_t mask)
{
    const struct access *ac = in->access;

    if (op == PTX_OP_atom || op == PTX_OP_red)
        return atomic_differs(w, in, w->undefined->second, mask);
    if (address_differs(w, ac, mask))
        return true;
    if (op != PTX_OP_st || ac->space == PTX_SPACE_LOCAL || ac->space == PTX_SPACE_PARAM)
        return false;
    for (unsigned i = 0; i < ac->elements; i++)
        if (differs(w, ac->vectors[i], ac->lane_bytes, mask))
            return true;
    return false;
}

/* After the first execution of such an access: the second has the same results. */
static void
access_results(struct warp *w, const struct insn *in, enum ptx_op op, uint32_t mask)
{
    const struct access *ac = in->access;

    if (op == PTX_OP_atom)
        atomic_copy_results(w, in, w->undefined->second, mask);
    for (unsigned i = 0; (op == PTX_OP_ld || op == PTX_OP_ldu) && i < ac->elements; i++)
        copy_lanes(w, ac->vectors[i], ac->lane_bytes, mask);
}

/* What is done about an instruction. */
enum way { EXECUTE_ONCE, EXECUTE_TWICE, LOOK_AT_ACCESS, COPY_RESULT, GIVE_UP };

/* Does the instruction make registers of registers, and do nothing else? */
static bool
is_pure(const struct ptx_insn *in)
{
    int (*owner)(struct decoder *, const struct ptx_insn *) = opcode_of(in->op)->decode;

    if (in->op == PTX_OP_mov && in->operands[1].kind == PTX_OPERAND_SREG)
        return false; /* perhaps a clock */
    return owner == decode_arithmetic || owner == decode_logic || owner == decode_bits ||
           owner == decode_carry || owner == decode_compare || owner == decode_convert ||
           owner == decode_move || owner == decode_video || owner == decode_addresses;
}

static enum way
way_of(const struct warp *w, const struct insn *in, const struct ptx_insn *origin)
{
    if (in->fn == op_run || in->fn == op_jump || in->fn == op_ret || origin == NULL)
        return EXECUTE_ONCE;
    switch (origin->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_st:
    case PTX_OP_atom:
    case PTX_OP_red:
        return ptx_has_mod(origin, PTX_MOD_async) || ptx_has_mod(origin, PTX_MOD_bulk)
                   ? GIVE_UP
                   : LOOK_AT_ACCESS;
    case PTX_OP_bar:
    case PTX_OP_barrier:
        return ptx_has_mod(origin, PTX_MOD_red) ? GIVE_UP : EXECUTE_ONCE;
    case PTX_OP_exit:
    case PTX_OP_call:
    case PTX_OP_fence:
    case PTX_OP_membar:
    case PTX_OP_nanosleep:
        return EXECUTE_ONCE;
    case PTX_OP_activemask:
        return COPY_RESULT;
    case PTX_OP_shfl: /* run_shfl() does both, but a planned one does not come there */
        return in->fn != op_sync && w->mask == FULL_MASK ? EXECUTE_TWICE : EXECUTE_ONCE;
    default:
        return is_pure(origin) ? EXECUTE_TWICE : GIVE_UP;
    }
}

static const struct insn *
give_up(struct warp *w, const struct insn *in)
{
    undefined_end(w);
    return in;
}

static void
execute_second(struct warp *w, const struct insn *in)
{
    w->regs = w->undefined->second;
    in->fn(w, in);
    w->regs = w->undefined->first;
}

/* An instruction under op_guard. */
static const struct insn *
guarded_step(struct warp *w, const struct insn *guard)
{
    const struct insn *in = guard + 1, *next;
    const struct ptx_insn *origin = origin_of(w, in);
    uint32_t p = *(const uint32_t *)(const void *)(w->regs + guard->a), all = w->mask;
    uint32_t active = all & (guard->y != 0 ? ~p : p);
    enum way way = way_of(w, in, origin);

    if ((way == EXECUTE_ONCE && active != 0) || way == COPY_RESULT)
        return give_up(w, guard);
    if (way == LOOK_AT_ACCESS) {
        if (differs(w, guard->a, 0, all) || access_differs(w, in, origin->op, active))
            return tell(w, guard);
        next = guard->fn(w, guard);
        if (next != NULL)
            access_results(w, in, origin->op, active);
        return next;
    }
    if (way == GIVE_UP)
        return give_up(w, guard);
    next = guard->fn(w, guard);
    memcpy(&p, w->undefined->second + guard->a, sizeof p);
    w->mask = all & (guard->y != 0 ? ~p : p);
    if (next != NULL && w->mask != 0)
        execute_second(w, in);
    w->mask = all;
    return next;
}

static const struct insn *
step(struct warp *w, const struct insn *in)
{
    const struct ptx_insn *origin =
        w->frame->program->origin[in - w->frame->program->insns];
    const struct insn *next;
    uint32_t mask = w->mask;

    if (in->fn == op_bra)
        return differs(w, in->a, 0, mask) ? tell(w, in) : in->fn(w, in);
    if (in->fn == op_guard)
        return guarded_step(w, in);
    if (in->fn == op_guard_several || in->fn == op_brx)
        return give_up(w, in);
    switch (way_of(w, in, origin)) {
    case EXECUTE_ONCE:
        return in->fn(w, in);
    case EXECUTE_TWICE:
        next = in->fn(w, in);
        if (next != NULL)
            execute_second(w, in);
        return next;
    case LOOK_AT_ACCESS:
        if (access_differs(w, in, origin->op, mask))
            return tell(w, in);
        next = in->fn(w, in);
        if (next != NULL)
            access_results(w, in, origin->op, mask);
        return next;
    case COPY_RESULT: /* in->d has 32 bits */
        next = in->fn(w, in);
        copy_lanes(w, in->d, 4, mask);
        return next;
    case GIVE_UP:
        break;
    }
    return give_up(w, in);
}

const struct insn *
undefined_run(struct warp *w, const struct insn *in)
{
    while (in != NULL && w->undefined != NULL) {
        if (w->undefined->steps-- == 0)
            return give_up(w, in);
        /* What a function does with its arguments is not followed. */
        in = w->regs == w->undefined->first ? step(w, in) : in->fn(w, in);
    }
    return in;
}

/*
 * The instructions that lanes of a warp execute together: vote, match, redux,
 * bar.warp.sync and elect (PTX ISA 9.7.13). shuffle.c has shfl, and the files matrix*.c
 * have the tensor cores.
 *
 * Such a *.sync operation is a rendezvous of the lanes in its membermask. A path that
 * arrives before the others parks. When all live lanes of the mask have come to the same
 * operation, wherever they stand in the code, it is executed for all of them at once. In
 * the usual case one path already has all these lanes, and nothing parks.
 */
#include "sync.h"

#include "../decode/emit.h"
#include "../decode/families.h"
#include "../race/race.h"
#include "../source.h"
#include "../warp_fault.h"

#include <stdio.h>
#include <string.h>

static const struct sync_op *
sync_of(const struct insn *in)
{
    return (const struct sync_op *)(const void *)in->extra;
}

static uint32_t *
vector32(const struct part *p, uint32_t vector)
{
    return (uint32_t *)(void *)(p->regs + vector);
}

uint32_t
sync_members(const struct part *p)
{
    uint32_t vector = sync_of(p->in)->member_vector;

    return vector != UINT32_MAX ? vector32(p, vector)[__builtin_ctz(p->mask)] : FULL_MASK;
}

/* --- rendezvous ---------------------------------------------------------- */

/* Executes the operation if all lanes of the mask have come. Returns whether it did. */
static bool
try_complete(struct warp *w, enum sync_kind kind, uint32_t members)
{
    struct part parts[LANES];
    uint32_t count = 0, arrived = 0;
    const struct sync_op *op = NULL;

    for (uint32_t i = 0; i < w->path_count; i++) {
        const struct path *s = &w->paths[i];

        if (s->state != PATH_AT_SYNC || s->sync_kind != kind || s->sync_mask != members)
            continue;
        parts[count++] = (struct part){s->pc, s->frame->regs, s->mask};
        arrived |= s->mask;
        op = sync_of(s->pc);
    }
    if (op == NULL || (members & w->live & ~arrived) != 0)
        return false;
    if (w->block->race != NULL)
        race_warp_sync(w, arrived);
    if (!op->run(w, parts, count))
        return false;
    for (uint32_t i = 0; i < w->path_count; i++) {
        struct path *s = &w->paths[i];

        if (s->state == PATH_AT_SYNC && s->sync_kind == kind && s->sync_mask == members) {
            s->state = PATH_READY;
            s->pc++;
        }
    }
    return true;
}

void
sync_recheck(struct warp *w)
{
    for (uint32_t i = 0; i < w->path_count; i++)
        if (w->paths[i].state == PATH_AT_SYNC &&
            try_complete(w, (enum sync_kind)w->paths[i].sync_kind, w->paths[i].sync_mask))
            i = UINT32_MAX; /* the list has changed: the search starts again */
}

/* The lanes with the membermask of the first lane. The others execute the operation
 * later, on their own. */
static uint32_t
same_members(struct warp *w, const struct insn *in, const uint32_t *members,
             uint32_t mask)
{
    uint32_t same = 0, first = members[__builtin_ctz(mask)], others = 0;

    for (unsigned i = 0; i < LANES; i++)
        others |= (mask >> i & 1) != 0 ? members[i] ^ first : 0;
    if (others == 0)
        return mask;
    for (uint32_t m = mask; m != 0; m &= m - 1)
        if (members[__builtin_ctz(m)] == first)
            same |= 1u << __builtin_ctz(m);
    if (same != mask) {
        w->mask = mask & ~same;
        warp_park(w, in, PATH_READY);
        w->stop = STOP_NONE;
        w->mask = same;
    }
    return same;
}

/* The CUDA function that a learner has called. */
static const char *
function_of_kind(enum sync_kind kind)
{
    switch (kind) {
    case SYNC_SHFL:
        return "__shfl_sync()";
    case SYNC_VOTE:
        return "a vote (__ballot_sync() or the like)";
    case SYNC_MATCH:
        return "__match_any_sync() or __match_all_sync()";
    case SYNC_REDUX:
        return "a reduction (__reduce_add_sync() or the like)";
    case SYNC_WARP:
        return "__syncwarp()";
    case SYNC_ACTIVE:
    case SYNC_MATRIX:
    case SYNC_ELECT:
        break;
    }
    return "an instruction of the whole warp";
}

const struct insn *
op_sync(struct warp *w, const struct insn *in)
{
    const struct sync_op *op = sync_of(in);
    uint32_t members = FULL_MASK, stranger;
    bool alone = true;
    struct path *s;

    if (op->member_vector != UINT32_MAX) {
        const uint32_t *vector =
            (const uint32_t *)(const void *)(w->regs + op->member_vector);

        alone = same_members(w, in, vector, w->mask) == w->mask;
        members = vector[__builtin_ctz(w->mask)];
    }
    stranger = w->mask & ~members;
    if (stranger != 0)
        return fault_at(w, in, (unsigned)__builtin_ctz(stranger), FAULT_BARRIER,
                        "calls %s with mask %#x, in which its own lane %d is missing: "
                        "the mask must name all lanes that call, mostly 0xffffffff",
                        function_of_kind(op->kind), members, __builtin_ctz(stranger));
    if (alone && (members & w->live & ~w->mask) == 0) {
        struct part part = {in, w->regs, w->mask};

        if (w->block->race != NULL)
            race_warp_sync(w, w->mask);
        if (!op->run(w, &part, 1))
            return NULL;
        if (w->undefined == NULL)
            return in + 1;
        warp_park(w, in + 1, PATH_READY); /* warp_run() goes on in another way */
        return NULL;
    }
    s = warp_park(w, in, PATH_AT_SYNC);
    s->sync_mask = members;
    s->sync_kind = op->kind;
    try_complete(w, op->kind, members);
    return NULL;
}

/* --- vote (9.7.13.10): lane vectors d, predicate; x = mode, y = negated -- */

static uint32_t
votes_of(const struct part *p)
{
    uint32_t v = *vector32(p, p->in->extra->vectors[1]);

    return (p->in->y ? ~v : v) & p->mask;
}

static bool
run_vote(struct warp *w, const struct part *parts, uint32_t count)
{
    uint32_t yes = 0, all = 0;

    (void)w;
    for (uint32_t i = 0; i < count; i++) {
        yes |= votes_of(&parts[i]);
        all |= parts[i].mask;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct part *p = &parts[i];
        uint32_t *d = vector32(p, p->in->extra->vectors[0]);
        bool r;

        if (p->in->x == PTX_MOD_ballot) {
            for (uint32_t m = p->mask; m != 0; m &= m - 1)
                d[__builtin_ctz(m)] = yes;
            continue;
        }
        r = p->in->x == PTX_MOD_all   ? yes == all
            : p->in->x == PTX_MOD_any ? yes != 0
                                      : yes == all || yes == 0;
        *d = (*d & ~p->mask) | (r ? p->mask : 0);
    }
    return true;
}

/* --- match (9.7.13.12): lane vectors d, a, p; x = 1: all; y = bytes ------ */

static bool
run_match(struct warp *w, const struct part *parts, uint32_t count)
{
    uint64_t values[LANES] = {0};
    uint32_t all = 0;

    (void)w;
    for (uint32_t i = 0; i < count; i++) {
        const struct part *p = &parts[i];

        all |= p->mask;
        for (uint32_t m = p->mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);

            memcpy(&values[lane], p->regs + p->in->extra->vectors[1] + lane * p->in->y,
                   p->in->y);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct part *p = &parts[i];
        uint32_t *d = vector32(p, p->in->extra->vectors[0]), equal = 0;

        for (uint32_t m = p->mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uint32_t same = 0;

            for (uint32_t k = all; k != 0; k &= k - 1)
                if (values[__builtin_ctz(k)] == values[lane])
                    same |= 1u << __builtin_ctz(k);
            equal |= (uint32_t)(same == all) << lane;
            d[lane] = p->in->x == 0 || same == all ? same : 0;
        }
        if (p->in->extra->vectors[2] != UINT32_MAX) {
            uint32_t *q = vector32(p, p->in->extra->vectors[2]);

            *q = (*q & ~p->mask) | equal;
        }
    }
    return true;
}

/* --- redux (9.7.13.13): lane vectors d, a; x = operation, y = type ------- */

static uint32_t
reduce_two(uint32_t a, uint32_t b, uint32_t op, bool is_signed)
{
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;

    switch (op) {
    case PTX_MOD_add:
        return a + b;
    case PTX_MOD_min:
        return less ? a : b;
    case PTX_MOD_max:
        return less ? b : a;
    case PTX_MOD_and_:
        return a & b;
    case PTX_MOD_or_:
        return a | b;
    default:
        return a ^ b;
    }
}

static bool
run_redux(struct warp *w, const struct part *parts, uint32_t count)
{
    uint32_t r = 0;
    bool first = true;

    (void)w;
    for (uint32_t i = 0; i < count; i++) {
        const struct part *p = &parts[i];
        const uint32_t *a = vector32(p, p->in->extra->vectors[1]);

        for (uint32_t m = p->mask; m != 0; m &= m - 1) {
            uint32_t v = a[__builtin_ctz(m)];

            r = first ? v : reduce_two(r, v, p->in->x, p->in->y == PTX_s32);
            first = false;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t m = parts[i].mask; m != 0; m &= m - 1)
            vector32(&parts[i], parts[i].in->extra->vectors[0])[__builtin_ctz(m)] = r;
    return true;
}

/* redux.f32: y also has these flags. Numbers are compared as integers in the same order,
 * in which -0 comes before +0. */
enum { REDUX_ABS = 1 << 8, REDUX_NAN = 1 << 9 };

static uint32_t
order_of(uint32_t bits)
{
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

static bool
run_redux_f32(struct warp *w, const struct part *parts, uint32_t count)
{
    uint32_t found = 0, nans = 0, numbers = 0, flags = parts[0].in->y;
    bool want_max = parts[0].in->x == PTX_MOD_max;

    (void)w;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *a = vector32(&parts[i], parts[i].in->extra->vectors[1]);

        for (uint32_t m = parts[i].mask; m != 0; m &= m - 1) {
            uint32_t v = a[__builtin_ctz(m)] & ((flags & REDUX_ABS) ? 0x7fffffff : ~0u);

            if ((v & 0x7fffffff) > 0x7f800000)
                nans++;
            else if (numbers++ == 0 || (order_of(v) > order_of(found)) == want_max)
                found = v;
        }
    }
    if (numbers == 0 || (nans != 0 && (flags & REDUX_NAN)))
        found = 0x7fffffff;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t m = parts[i].mask; m != 0; m &= m - 1)
            vector32(&parts[i], parts[i].in->extra->vectors[0])[__builtin_ctz(m)] = found;
    return true;
}

/* --- bar.warp.sync, elect.sync (9.7.13.15): lane vectors d, p ------------ */

static bool
run_nothing(struct warp *w, const struct part *parts, uint32_t count)
{
    (void)w;
    (void)parts;
    (void)count;
    return true;
}

static bool
run_elect(struct warp *w, const struct part *parts, uint32_t count)
{
    uint32_t all = 0, leader;

    (void)w;
    for (uint32_t i = 0; i < count; i++)
        all |= parts[i].mask;
    leader = (uint32_t)__builtin_ctz(all);
    for (uint32_t i = 0; i < count; i++) {
        const struct part *p = &parts[i];
        uint32_t *d = vector32(p, p->in->extra->vectors[0]),
                 *q = vector32(p, p->in->extra->vectors[1]);

        for (uint32_t m = p->mask; m != 0; m &= m - 1)
            d[__builtin_ctz(m)] = leader;
        *q = (*q & ~p->mask) | (1u << leader & p->mask);
    }
    return true;
}

/* --- decoding ---------------------------------------------------------- */

int
init_sync(struct decoder *d, struct sync_op *op, enum sync_kind kind,
          const struct ptx_operand *members,
          bool (*run)(struct warp *, const struct part *, uint32_t))
{
    op->kind = kind;
    op->run = run;
    op->member_vector = members != NULL ? source(d, members, PTX_u32) : UINT32_MAX;
    if (members != NULL && op->member_vector == UINT32_MAX)
        return -1;
    memset(op->extra.vectors, 0xff, sizeof op->extra.vectors);
    return 0;
}

static struct sync_op *
new_sync(struct decoder *d, enum sync_kind kind, const struct ptx_operand *members,
         bool (*run)(struct warp *, const struct part *, uint32_t))
{
    struct sync_op *op = kernel_alloc(d, sizeof *op);

    return op != NULL && init_sync(d, op, kind, members, run) == 0 ? op : NULL;
}

static struct insn *
emit_sync(struct decoder *d, struct sync_op *op)
{
    struct insn *out = emit(d, op_sync);

    out->extra = &op->extra;
    return out;
}

static int
decode_vote(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    enum ptx_mod mode =
        MOD_READ_ANY(d, in, PTX_MOD_ballot, PTX_MOD_all, PTX_MOD_any, PTX_MOD_uni);
    bool ballot = mode == PTX_MOD_ballot, negated;
    enum ptx_type type = type_read(d, in, 0);
    struct sync_op *op;
    struct insn *out;

    if (mode == PTX_MOD_UNKNOWN || in->operand_count != 3 ||
        type != (ballot ? PTX_b32 : PTX_pred))
        return -1;
    op = new_sync(d, SYNC_VOTE, &o[2], run_vote);
    if (op == NULL)
        return -1;
    op->extra.vectors[0] = destination(d, &o[0], ballot ? 4 : 0);
    op->extra.vectors[1] = predicate(d, &o[1], &negated);
    if (op->extra.vectors[0] == UINT32_MAX || op->extra.vectors[1] == UINT32_MAX)
        return -1;
    out = emit_sync(d, op);
    out->x = (uint32_t)mode;
    out->y = negated;
    return 0;
}

static int
decode_match(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    enum ptx_type t = type_read(d, in, 0);
    enum ptx_mod mode = MOD_READ_ANY(d, in, PTX_MOD_all, PTX_MOD_any);
    struct sync_op *op;
    struct insn *out;

    if (in->operand_count != 3 || (t != PTX_b32 && t != PTX_b64) ||
        mode == PTX_MOD_UNKNOWN || (mode == PTX_MOD_any && o[0].second != NULL))
        return -1;
    op = new_sync(d, SYNC_MATCH, &o[2], run_match);
    if (op == NULL)
        return -1;
    op->extra.vectors[0] = destination(d, &o[0], 4);
    op->extra.vectors[1] = source(d, &o[1], t);
    if (op->extra.vectors[0] == UINT32_MAX || op->extra.vectors[1] == UINT32_MAX)
        return -1;
    if (o[0].second != NULL &&
        (op->extra.vectors[2] = destination(d, o[0].second, 0)) == UINT32_MAX)
        return -1;
    out = emit_sync(d, op);
    out->x = mode == PTX_MOD_all;
    out->y = ptx_type_bytes(t);
    return 0;
}

static int
decode_redux(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    enum ptx_type type = type_read(d, in, 0);
    enum ptx_class class = ptx_type_class(type);
    bool is_float = type == PTX_f32;
    enum ptx_mod which = MOD_READ_ANY(d, in, PTX_MOD_add, PTX_MOD_min, PTX_MOD_max,
                                      PTX_MOD_and_, PTX_MOD_or_, PTX_MOD_xor_);
    bool is_logic =
        which == PTX_MOD_and_ || which == PTX_MOD_or_ || which == PTX_MOD_xor_;
    uint32_t flags = 0;
    struct sync_op *op;
    struct insn *out;

    if (is_float && mod_read(d, in, PTX_MOD_abs))
        flags |= REDUX_ABS;
    if (is_float && mod_read(d, in, PTX_MOD_nan))
        flags |= REDUX_NAN;
    if (which == PTX_MOD_UNKNOWN || ptx_type_bytes(type) != 4 ||
        (is_float   ? which != PTX_MOD_min && which != PTX_MOD_max
         : is_logic ? class != PTX_CLASS_BITS
                    : class != PTX_CLASS_UINT && class != PTX_CLASS_SINT))
        return -1;
    op = new_sync(d, SYNC_REDUX, &o[2], is_float ? run_redux_f32 : run_redux);
    if (op == NULL)
        return -1;
    op->extra.vectors[0] = destination(d, &o[0], 4);
    op->extra.vectors[1] = source(d, &o[1], PTX_b32);
    if (op->extra.vectors[0] == UINT32_MAX || op->extra.vectors[1] == UINT32_MAX)
        return -1;
    out = emit_sync(d, op);
    out->x = (uint32_t)which;
    out->y = (uint32_t)type | flags;
    return 0;
}

static int
decode_elect(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    struct sync_op *op =
        o[0].second != NULL ? new_sync(d, SYNC_ELECT, &o[1], run_elect) : NULL;

    if (op == NULL)
        return -1;
    op->extra.vectors[0] = destination(d, &o[0], 4);
    op->extra.vectors[1] = destination(d, o[0].second, 0);
    if (op->extra.vectors[0] == UINT32_MAX || op->extra.vectors[1] == UINT32_MAX)
        return -1;
    emit_sync(d, op);
    return 0;
}

int
decode_sync(struct decoder *d, const struct ptx_insn *in)
{
    if (has_sum(in) || !mod_read(d, in, PTX_MOD_sync))
        return -1;
    switch (in->op) {
    case PTX_OP_vote:
        return decode_vote(d, in);
    case PTX_OP_match:
        return decode_match(d, in);
    case PTX_OP_redux: /* an SM adds up 16 lanes in a cycle, and shuffles 32 */
        count_work(d, WORK_SHUFFLE, 2);
        return decode_redux(d, in);
    case PTX_OP_elect:
        return decode_elect(d, in);
    default:
        return -1;
    }
}

/* bar.warp.sync */
int
decode_warp_barrier(struct decoder *d, const struct ptx_insn *in)
{
    bool known = mod_read(d, in, PTX_MOD_warp) && mod_read(d, in, PTX_MOD_sync);
    struct sync_op *op = known && in->operand_count == 1
                             ? new_sync(d, SYNC_WARP, &in->operands[0], run_nothing)
                             : NULL;

    if (op == NULL)
        return -1;
    emit_sync(d, op);
    return 0;
}

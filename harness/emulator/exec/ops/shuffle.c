/*
 * shfl.sync (PTX ISA 9.7.9.6). In its general form the lanes may be on several paths,
 * which meet as sync.c tells. A lane may read from one that takes no part: undefined.h
 * says what comes of it.
 *
 * In nearly all code the distance, the segments and a full membermask are numbers. Then a
 * plan is made when the kernel is decoded. It says for each lane from which lane it
 * reads, and a whole warp only moves words (lanes.inc).
 */
#include "../decode/emit.h"
#include "../decode/families.h"
#include "../launch.h"
#include "sync.h"
#include "undefined.h"

static inline int
shfl_source(uint32_t mode, uint32_t lane, uint32_t b, uint32_t c, bool *in_range)
{
    uint32_t bval = b & 31, cval = c & 31, segment = c >> 8 & 31;
    uint32_t lowest = lane & segment, highest = lowest | (cval & ~segment);
    int j;

    switch (mode) {
    case PTX_MOD_up:
        j = (int)lane - (int)bval;
        *in_range = j >= (int)highest;
        break;
    case PTX_MOD_down:
        j = (int)(lane + bval);
        *in_range = j <= (int)highest;
        break;
    case PTX_MOD_bfly:
        j = (int)(lane ^ bval);
        *in_range = j <= (int)highest;
        break;
    default:
        j = (int)(lowest | (bval & ~segment));
        *in_range = j <= (int)highest;
        break;
    }
    return *in_range ? j : (int)lane;
}

static uint32_t *
vector32(const struct part *p, uint32_t vector)
{
    return (uint32_t *)(void *)(p->regs + vector);
}

/* What lane `lane` of a part reads, and from which lane. */
static int
source_of_lane(const struct part *p, uint32_t lane, bool *in_range)
{
    const struct extra *e = p->in->extra;
    const uint32_t *b = vector32(p, e->vectors[2]), *c = vector32(p, e->vectors[3]);

    return shfl_source(p->in->x, lane, b[lane], c[lane], in_range) & 31;
}

/* Moves the values. A lane that does not take part seems to hold `absent`. */
static void
exchange(const struct part *parts, uint32_t count, uint32_t absent)
{
    uint32_t values[LANES];

    for (unsigned lane = 0; lane < LANES; lane++)
        values[lane] = absent;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *a = vector32(&parts[i], parts[i].in->extra->vectors[1]);

        for (unsigned lane = 0; lane < LANES; lane++)
            if ((parts[i].mask >> lane & 1) != 0)
                values[lane] = a[lane];
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct part *p = &parts[i];
        const struct extra *e = p->in->extra;
        uint32_t *d = vector32(p, e->vectors[0]), found = 0, result[LANES];

        for (uint32_t m = p->mask; m != 0; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            bool in_range;

            result[lane] = values[source_of_lane(p, lane, &in_range)];
            found |= (uint32_t)in_range << lane;
        }
        for (uint32_t m = p->mask; m != 0; m &= m - 1)
            d[__builtin_ctz(m)] = result[__builtin_ctz(m)];
        if (e->vectors[4] != UINT32_MAX) {
            uint32_t *q = vector32(p, e->vectors[4]);

            *q = (*q & ~p->mask) | (found & p->mask);
        }
    }
}

/* With checks on: the first lane that reads from one that takes no part. */
static void
look_for_absent(struct warp *w, const struct part *parts, uint32_t count)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < count; i++)
        all |= parts[i].mask;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t m = parts[i].mask; m != 0; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            bool in_range;
            int from = source_of_lane(&parts[i], lane, &in_range);

            if ((all >> from & 1) == 0) {
                undefined_begin(w, &parts[i], lane, (unsigned)from,
                                sync_members(&parts[i]));
                return;
            }
        }
}

/* The second execution (undefined.h), in registers of its own. */
static void
exchange_second(struct warp *w, const struct part *parts, uint32_t count)
{
    struct part second[LANES];

    for (uint32_t i = 0; i < count; i++) {
        second[i] = parts[i];
        second[i].regs = undefined_registers(w, parts[i].regs);
        if (second[i].regs == NULL)
            return;
    }
    exchange(second, count, UNDEFINED_SECOND);
}

static bool
run_shfl(struct warp *w, const struct part *parts, uint32_t count)
{
    if (w->worker->run->checks)
        look_for_absent(w, parts, count);
    if (w->undefined != NULL)
        exchange_second(w, parts, count);
    exchange(parts, count, UNDEFINED_FIRST);
    return true;
}

/* Notes the group of eight lanes to which the source `from` of a lane belongs. false: the
 * lane's group reads from two other groups already, which happens for no distance. */
static bool
note_giver(struct shuffle *s, uint32_t lane, uint32_t from)
{
    uint8_t *first = &s->first[lane / 8], *second = &s->second[lane / 8];
    uint8_t eight = (uint8_t)(from / 8);

    s->element[lane] = (uint8_t)(from % 8);
    if (lane % 8 == 0)
        *first = *second = eight;
    if (eight == *first)
        return true;
    if (*second == *first)
        *second = eight;
    s->from_second[lane] = -1;
    return eight == *second;
}

/* Makes the plan; false: an operand other than the value is no number. */
static bool
plan(struct decoder *d, struct shuffle *s, uint32_t mode)
{
    const uint32_t *vectors = s->sync.extra.vectors;
    uint64_t b, c, members;

    if (!constant_value(d, vectors[2], &b) || !constant_value(d, vectors[3], &c) ||
        !constant_value(d, s->sync.member_vector, &members) || members != FULL_MASK)
        return false;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        bool in_range;
        int from = shfl_source(mode, lane, (uint32_t)b, (uint32_t)c, &in_range);

        if (!note_giver(s, lane, (uint32_t)from & 31))
            return false;
        s->found |= (uint32_t)in_range << lane;
    }
    return true;
}

int
decode_shuffle(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    struct shuffle *s = kernel_alloc(d, sizeof *s);
    struct insn *out;
    enum ptx_mod mode =
        MOD_READ_ANY(d, in, PTX_MOD_up, PTX_MOD_down, PTX_MOD_bfly, PTX_MOD_idx);
    uint32_t *vectors;
    handler planned;

    if (s == NULL || mode == PTX_MOD_UNKNOWN || !mod_read(d, in, PTX_MOD_sync) ||
        has_sum(in) || in->operand_count != 5 || type_read(d, in, 0) != PTX_b32 ||
        init_sync(d, &s->sync, SYNC_SHFL, &o[4], run_shfl) != 0)
        return -1;
    vectors = s->sync.extra.vectors;
    vectors[0] = destination(d, &o[0], 4);
    for (unsigned i = 1; i < 4; i++)
        vectors[i] = source(d, &o[i], PTX_b32);
    for (unsigned i = 0; i < 4; i++)
        if (vectors[i] == UINT32_MAX)
            return -1;
    if (o[0].second != NULL &&
        (vectors[4] = destination(d, o[0].second, 0)) == UINT32_MAX)
        return -1;
    planned = lane_handler(
        d, (struct lane_key){PTX_OP_shfl, PTX_b32, PTX_TYPE_NONE, LANE_PLAIN});
    count_work(d, WORK_SHUFFLE, 1);
    out = emit(d, plan(d, s, (uint32_t)mode) ? planned : op_sync);
    out->extra = &s->sync.extra;
    out->x = (uint32_t)mode;
    return 0;
}

/*
 * cp.async (PTX ISA 9.7.9.25.3): copies of 4, 8 or 16 bytes from global to shared memory
 * that a thread begins and waits for later, in groups.
 *
 * What is copied is read when the copy begins and written when the thread waits for it
 * (wait_group, wait_all) or hands it to an mbarrier. So a program that forgets to wait
 * reads what was there before, every time, and the race detector sees the write where it
 * is ordered.
 */
#include "../cluster.h"
#include "../cost/count.h"
#include "../decode/families.h"
#include "../links.h"
#include "../race/race.h"
#include "../warp_fault.h"
#include "async.h"
#include "ordered.h"

#include <stdlib.h>
#include <string.h>

/* A copy of one lane that is under way. */
struct copy {
    const struct insn *in;
    const struct program *program; /* the program that has `in` */
    uint64_t to;                   /* in shared memory */
    uint32_t group, slot;
    uint8_t lane, bytes;
    uint8_t data[16];
};

struct copy_queue {
    uint32_t count, max;
    uint32_t groups[LANES]; /* by lane: groups committed so far */
    struct copy *copies;    /* in the order in which they began */
};

void
copies_free(struct warp *w)
{
    if (w->copies != NULL)
        free(w->copies->copies);
    free(w->copies);
    w->copies = NULL;
}

void
copies_reset(struct warp *w)
{
    if (w->copies == NULL)
        return;
    w->copies->count = 0;
    memset(w->copies->groups, 0, sizeof w->copies->groups);
}

/* A new copy at the end of the queue; NULL: the host has no memory. */
static struct copy *
queue_add(struct warp *w)
{
    struct copy_queue *q = w->copies;

    if (q == NULL)
        q = w->copies = calloc(1, sizeof *q);
    if (q == NULL)
        return NULL;
    if (q->count == q->max) {
        uint32_t max = q->max != 0 ? 2 * q->max : 128;
        struct copy *copies = realloc(q->copies, max * sizeof *copies);

        if (copies == NULL)
            return NULL;
        q->copies = copies;
        q->max = max;
    }
    return &q->copies[q->count++];
}

/* --- ending -------------------------------------------------------------- */

/* Tells the race detector of the copies, from `first` on, that one instruction has begun
 * for different lanes, and returns how many they are. Faults and races of a copy name the
 * instruction that began it. */
static uint32_t
batch_race(struct warp *w, const struct copy *first, const struct copy *end)
{
    uint64_t ea[LANES] = {0};
    uint32_t lanes = 0, mask = w->mask, count = 0;
    struct frame *frame = w->frame, at = *frame;
    struct race_request q = {.ea = ea,
                             .bytes = first->bytes,
                             .slot = first->slot,
                             .space = PTX_SPACE_SHARED,
                             .kind = RACE_WRITE};

    for (const struct copy *c = first;
         c < end && c->in == first->in && (lanes >> c->lane & 1) == 0; c++, count++) {
        lanes |= 1u << c->lane;
        ea[c->lane] = c->to;
    }
    at.program = first->program;
    w->frame = &at;
    w->mask = lanes;
    race_copy_end(w, first->in, &q);
    w->mask = mask;
    w->frame = frame;
    return count;
}

/* Ends the copies of these lanes among the first `count` of the queue. */
static void
copies_end(struct warp *w, uint32_t count)
{
    struct copy_queue *q = w->copies;

    for (uint32_t i = 0; w->block->race != NULL && i < count;)
        i += batch_race(w, &q->copies[i], &q->copies[count]);
    for (uint32_t i = 0; i < count; i++) {
        const struct copy *c = &q->copies[i];
        uint8_t *shadow, *host = cluster_range(w, c->to, c->bytes, &shadow);

        if (host == NULL) /* its block has ended */
            continue;
        memcpy(host, c->data, c->bytes);
        links_any(w, c->slot, PTX_SPACE_SHARED, c->to, c->bytes, LINKS_WRITE);
        if (shadow != NULL)
            memset(shadow, 1, c->bytes);
    }
    memmove(q->copies, q->copies + count, (q->count - count) * sizeof *q->copies);
    q->count -= count;
}

/* Brings the copies for which the lanes of w->mask wait to the front of the queue, and
 * returns how many they are. A lane waits for all groups but its last `pending`, or for
 * all copies where `pending` is UINT32_MAX. */
static uint32_t
copies_due(struct warp *w, uint32_t pending)
{
    struct copy_queue *q = w->copies;
    uint32_t due = 0, kept = 0;
    struct copy *later = malloc((q->count + 1) * sizeof *later);

    if (later == NULL)
        return q->count; /* too early rather than never */
    for (uint32_t i = 0; i < q->count; i++) {
        const struct copy *c = &q->copies[i];
        bool is_due =
            (w->mask >> c->lane & 1) != 0 &&
            (pending == UINT32_MAX || (uint64_t)c->group + pending < q->groups[c->lane]);

        if (is_due)
            q->copies[due++] = *c;
        else
            later[kept++] = *c;
    }
    memcpy(q->copies + due, later, kept * sizeof *later);
    free(later);
    return due;
}

void
copies_wait(struct warp *w, uint32_t pending)
{
    uint32_t due;

    if (w->copies == NULL || w->copies->count == 0)
        return;
    due = copies_due(w, pending);
    if (due > 0)
        copies_end(w, due);
}

/* --- instructions -------------------------------------------------------- */

static uint64_t
vector_value(const struct warp *w, const struct extra *e, unsigned i, unsigned lane)
{
    uint64_t v = 0;

    memcpy(&v, w->regs + e->vectors[i] + lane * e->widths[i], e->widths[i]);
    return v;
}

/* The lane vectors of a cp.async. */
enum { COPY_TO, COPY_FROM, COPY_SIZE, COPY_IGNORE };

/* How many bytes the lane's copy reads. The rest becomes zeros. */
static uint32_t
copy_size(const struct warp *w, const struct insn *in, unsigned lane)
{
    const struct extra *e = in->extra;
    uint32_t bytes = (uint32_t)e->imm;

    if (e->vectors[COPY_SIZE] != UINT32_MAX) {
        uint64_t size = vector_value(w, e, COPY_SIZE, lane);

        return size < bytes ? (uint32_t)size : bytes;
    }
    if (e->vectors[COPY_IGNORE] != UINT32_MAX) {
        uint32_t p = *(const uint32_t *)(const void *)(w->regs + e->vectors[COPY_IGNORE]);

        return (((e->count != 0 ? ~p : p) >> lane) & 1) != 0 ? 0 : bytes;
    }
    return bytes;
}

static void
race_copies(struct warp *w, const struct insn *in, const uint64_t *from,
            const uint64_t *to)
{
    const struct race_request target = {.ea = to,
                                        .bytes = (uint32_t)in->extra->imm,
                                        .slot = in->extra->slot,
                                        .space = PTX_SPACE_SHARED,
                                        .kind = RACE_WRITE};
    struct race_request q = {.ea = from,
                             .bytes = (uint32_t)in->extra->imm,
                             .slot = in->extra->slot,
                             .space = PTX_SPACE_GLOBAL,
                             .kind = RACE_READ};
    uint32_t mask = w->mask;

    for (uint32_t m = mask; m != 0; m &= m - 1) /* lanes that read all their bytes */
        if (copy_size(w, in, (unsigned)__builtin_ctz(m)) < q.bytes)
            w->mask &= ~(1u << __builtin_ctz(m));
    if (w->mask != 0)
        race_access(w, in, &q);
    w->mask = mask;
    race_copy_begin(w, in, &target);
}

/* Checks both ends of one lane's copy, and reads. false: the warp has its fault. */
static bool
begin_copy(struct warp *w, const struct insn *in, unsigned lane, uint64_t to,
           uint64_t from)
{
    const struct extra *e = in->extra;
    uint32_t bytes = (uint32_t)e->imm, size = copy_size(w, in, lane);
    uint8_t *shadow;
    struct copy *c;

    if ((to & (bytes - 1)) != 0) {
        fault_misaligned(w, in, lane, PTX_SPACE_SHARED, to, bytes, true);
        return false;
    }
    if (cluster_range(w, to, bytes, &shadow) == NULL) {
        fault_access(w, in, lane, PTX_SPACE_SHARED, to, bytes, true);
        return false;
    }
    if (size != 0 && (from & (bytes - 1)) != 0) {
        fault_misaligned(w, in, lane, PTX_SPACE_GLOBAL, from, bytes, false);
        return false;
    }
    c = queue_add(w);
    if (c == NULL) {
        fault_at(w, in, lane, FAULT_OUT_OF_MEMORY,
                 "the host has no memory for another asynchronous copy");
        return false;
    }
    *c = (struct copy){.in = in,
                       .program = w->frame->program,
                       .to = to,
                       .group = w->copies->groups[lane],
                       .slot = e->slot,
                       .lane = (uint8_t)lane,
                       .bytes = (uint8_t)bytes};
    /* In powers of two, as access_lane() needs them. */
    for (uint32_t at = 0, step; at < size; at += step) {
        const uint8_t *host;

        for (step = bytes; step > size - at || (at & (step - 1)) != 0;)
            step /= 2;
        host =
            access_lane(w, in, lane, e->slot, PTX_SPACE_GLOBAL, from + at, step, false);
        if (host == NULL)
            return false;
        memcpy(c->data + at, host, step);
        links_any(w, e->slot, PTX_SPACE_GLOBAL, from + at, step, LINKS_READ);
    }
    return true;
}

/* The lane vectors are those of the enum above. imm = bytes, count = 1: ignore-src is
 * negated, x and y = offsets. */
static const struct insn *
op_copy_async(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    uint64_t from[LANES] = {0}, to[LANES] = {0};

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);

        to[lane] = vector_value(w, e, COPY_TO, lane) + (uint64_t)(int64_t)(int32_t)in->x;
        from[lane] =
            vector_value(w, e, COPY_FROM, lane) + (uint64_t)(int64_t)(int32_t)in->y;
    }
    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);

        if (!begin_copy(w, in, lane, to[lane], from[lane]))
            return NULL;
    }
    if (w->block->race != NULL)
        race_copies(w, in, from, to);
    count_global(w, e->slot, from, w->mask);
    count_shared(w, e->slot, to, w->mask, (uint32_t)e->imm);
    site_counts(w, e->slot)->global_load_bytes +=
        (uint64_t)e->imm * (uint64_t)__builtin_popcount(w->mask);
    return in + 1;
}

static const struct insn *
op_commit_group(struct warp *w, const struct insn *in)
{
    for (uint32_t m = w->copies != NULL ? w->mask : 0; m != 0; m &= m - 1)
        w->copies->groups[__builtin_ctz(m)]++;
    return in + 1;
}

/* x = groups that may still be under way; UINT32_MAX: wait_all. */
static const struct insn *
op_wait_group(struct warp *w, const struct insn *in)
{
    w->missed += w->copies != NULL;
    copies_wait(w, in->x);
    return in + 1;
}

/* --- decoding ------------------------------------------------------------ */

int
decode_pointer(struct decoder *d, const struct ptx_operand *o, struct extra *e,
               unsigned i, int64_t *offset)
{
    struct ptx_operand base = *o;
    uint32_t width = 8;

    if (!o->is_address || o->second != NULL)
        return -1;
    address_read(d, o);
    base.is_address = false;
    *offset = 0;
    if (o->kind == PTX_OPERAND_REG) {
        *offset = o->offset;
        base.offset = 0;
        e->vectors[i] = source_any(d, &base, &width);
    } else {
        e->vectors[i] = source(d, &base, PTX_u64);
    }
    e->widths[i] = (uint8_t)width;
    return e->vectors[i] != UINT32_MAX && (width == 4 || width == 8) ? 0 : -1;
}

/* {, src-size or ignore-src}{, cache-policy} */
static int
decode_options(struct decoder *d, const struct ptx_insn *in, struct extra *e)
{
    const struct ptx_operand *o = in->operands;
    unsigned count =
        in->operand_count - (mod_read(d, in, PTX_MOD_l2_cache_hint) ? 1u : 0u);
    bool negated = false;

    e->vectors[COPY_SIZE] = e->vectors[COPY_IGNORE] = UINT32_MAX;
    e->widths[COPY_SIZE] = 4;
    hints_read(d, in, count, in->operand_count);
    if (count == 3)
        return 0;
    if (count != 4)
        return -1;
    if (o[3].kind == PTX_OPERAND_REG && o[3].type == PTX_pred) {
        e->vectors[COPY_IGNORE] = predicate(d, &o[3], &negated);
        e->count = negated;
        return e->vectors[COPY_IGNORE] != UINT32_MAX ? 0 : -1;
    }
    e->vectors[COPY_SIZE] = source(d, &o[3], PTX_u32);
    return e->vectors[COPY_SIZE] != UINT32_MAX ? 0 : -1;
}

static int
decode_one_copy(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    struct extra *e = kernel_alloc(d, sizeof *e);
    int64_t to, from;
    struct insn *out;

    if (e == NULL || in->operand_count < 3 || o[2].kind != PTX_OPERAND_INT ||
        (o[2].bits != 4 && o[2].bits != 8 && o[2].bits != 16) ||
        (mod_read(d, in, PTX_MOD_cg) && o[2].bits != 16) ||
        space_read(d, in) != PTX_SPACE_SHARED || !mod_read(d, in, PTX_MOD_global))
        return -1;
    operand_read(d, &o[2], OPERAND_VALUE);
    e->imm = (int64_t)o[2].bits;
    if (decode_pointer(d, &o[0], e, COPY_TO, &to) != 0 ||
        decode_pointer(d, &o[1], e, COPY_FROM, &from) != 0 || e->widths[COPY_FROM] != 8 ||
        decode_options(d, in, e) != 0)
        return -1;
    e->slot = site_new(d);
    site_no_wait(d, e->slot);
    site_wavefronts(d, e->slot, (uint32_t)e->imm / 4u);
    if (ptx_has_mod(in, PTX_MOD_cg))
        site_past_l1(d, e->slot);
    out = emit(d, op_copy_async);
    out->extra = e;
    out->x = (uint32_t)to;
    out->y = (uint32_t)from;
    order_note(d, PTX_SPACE_SHARED, e, &e->plain, op_ordered_other);
    return 0;
}

int
decode_copy(struct decoder *d, const struct ptx_insn *in)
{
    if (mod_read(d, in, PTX_MOD_bulk))
        return decode_bulk_copy(d, in);
    if (!mod_read(d, in, PTX_MOD_async))
        return -1;
    if (mod_read(d, in, PTX_MOD_mbarrier))
        return decode_copy_arrival(d, in);
    if (mod_read(d, in, PTX_MOD_commit_group)) {
        emit(d, op_commit_group);
        return 0;
    }
    if (mod_read(d, in, PTX_MOD_wait_all)) {
        emit(d, op_wait_group)->x = UINT32_MAX;
        return 0;
    }
    if (mod_read(d, in, PTX_MOD_wait_group)) {
        if (in->operand_count != 1 || in->operands[0].kind != PTX_OPERAND_INT ||
            in->operands[0].bits >= UINT32_MAX)
            return -1;
        operand_read(d, &in->operands[0], OPERAND_VALUE);
        emit(d, op_wait_group)->x = (uint32_t)in->operands[0].bits;
        return 0;
    }
    return decode_one_copy(d, in);
}

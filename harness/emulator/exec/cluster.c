/*
 * Clusters (PTX ISA 2.2.2): blocks that run at the same time, see each other's shared
 * memory and have a barrier of their own. One worker runs all blocks of a cluster, taking
 * turns (launch.c), so nothing here is atomic. A launch without clusters has clusters of
 * one block.
 *
 * The barrier (9.7.13.4) counts the live threads that have not arrived. A lane that waits
 * for a phase that is over, because it has arrived in none since, goes on.
 */
#include "cluster.h"

#include "decode/decode.h"
#include "race/race.h"

#include <stdlib.h>
#include <string.h>

int
cluster_configure(struct run *r, struct fault *f)
{
    const uint32_t *grid = r->launch->grid, *asked = r->launch->cluster;
    const uint32_t *required = r->kernel->func->cluster;
    uint64_t size = 1;
    bool differ = false, divide = true;

    for (unsigned i = 0; i < 3; i++) {
        uint32_t n = asked[i] != 0 ? asked[i] : required[i] != 0 ? required[i] : 1;

        r->cluster[i] = n;
        differ |= required[i] != 0 && n != required[i];
        divide &= grid[i] % n == 0;
        size = size <= CLUSTER_MAX ? size * n : size;
    }
    if (size <= CLUSTER_MAX && divide && !differ)
        return 0;
    fault_text(
        f, FAULT_LAUNCH_CONFIG,
        "kernel %.120s is launched with a grid of (%u,%u,%u) blocks in clusters of "
        "(%u,%u,%u); %s",
        r->kernel->name, grid[0], grid[1], grid[2], r->cluster[0], r->cluster[1],
        r->cluster[2],
        size > CLUSTER_MAX ? "a cluster has at most 16 blocks"
        : differ           ? "it was compiled for clusters of another size"
                           : "the grid must be whole clusters");
    return -1;
}

uint32_t
cluster_size(const struct run *r)
{
    return r->cluster[0] * r->cluster[1] * r->cluster[2];
}

void
cluster_place(const struct run *r, uint64_t number, uint32_t id[3])
{
    uint32_t rank = (uint32_t)(number % cluster_size(r));

    number /= cluster_size(r);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t clusters = r->launch->grid[i] / r->cluster[i];

        id[i] = (uint32_t)(number % clusters) * r->cluster[i] + rank % r->cluster[i];
        number /= clusters;
        rank /= r->cluster[i];
    }
}

struct cluster *
cluster_new(struct worker *wk)
{
    struct cluster *c = wk->free_cluster;

    if (c == NULL)
        return calloc(1, sizeof *c);
    wk->free_cluster = NULL;
    memset(c, 0, sizeof *c);
    return c;
}

void
cluster_put(struct worker *wk, struct cluster *c)
{
    free(wk->free_cluster);
    wk->free_cluster = c;
}

void
cluster_enter(struct block *b, struct cluster *c)
{
    b->cluster = c;
    b->rank = c->size;
    c->blocks[c->size++] = b;
    c->present++;
    c->missing += b->threads;
}

void
cluster_leave(struct block *b)
{
    struct cluster *c = b->cluster;

    b->cluster = NULL;
    if (c == NULL)
        return;
    c->blocks[b->rank] = NULL;
    if (--c->present == 0)
        cluster_put(b->worker, c);
}

bool
cluster_register(const struct warp *w, enum ptx_sreg r, uint64_t *value)
{
    const struct run *run = w->worker->run;
    const uint32_t *id = w->block->id, *size = run->cluster;

    if (r >= PTX_SREG_clusterid_x && r <= PTX_SREG_clusterid_z)
        *value = id[r - PTX_SREG_clusterid_x] / size[r - PTX_SREG_clusterid_x];
    else if (r >= PTX_SREG_nclusterid_x && r <= PTX_SREG_nclusterid_z)
        *value = run->launch->grid[r - PTX_SREG_nclusterid_x] /
                 size[r - PTX_SREG_nclusterid_x];
    else if (r >= PTX_SREG_cluster_ctaid_x && r <= PTX_SREG_cluster_ctaid_z)
        *value = id[r - PTX_SREG_cluster_ctaid_x] % size[r - PTX_SREG_cluster_ctaid_x];
    else if (r >= PTX_SREG_cluster_nctaid_x && r <= PTX_SREG_cluster_nctaid_z)
        *value = size[r - PTX_SREG_cluster_nctaid_x];
    else if (r == PTX_SREG_cluster_ctarank)
        *value = w->block->rank;
    else if (r == PTX_SREG_cluster_nctarank)
        *value = cluster_size(run);
    else
        return false;
    return true;
}

/* --- shared memory ------------------------------------------------------- */

uint8_t *
cluster_range(struct warp *w, uint64_t address, uint64_t bytes, uint8_t **shadow)
{
    struct block *b = w->block;

    if (address >= CLUSTER_STEP) {
        uint64_t rank = address / CLUSTER_STEP - 1;

        b = rank < b->cluster->size ? b->cluster->blocks[rank] : NULL;
        address %= CLUSTER_STEP;
    }
    if (b == NULL || address > b->shared_bytes || bytes > b->shared_bytes - address)
        return NULL;
    *shadow = b->shared_shadow != NULL ? b->shared_shadow + address : NULL;
    return b->shared + address;
}

uint64_t
cluster_owner(const struct block *b, uint64_t *address)
{
    uint64_t offset = *address - SHARED_WINDOW;

    *address = SHARED_WINDOW + offset % CLUSTER_STEP;
    return offset < CLUSTER_STEP
               ? b->number
               : b->number - b->rank + offset / CLUSTER_STEP - 1; /* by rank */
}

/* --- mapa, getctarank, isspacep (9.7.9.22, .23, .18) --------------------- */

enum { ADDRESS_GENERIC = 1 };

static uint64_t
lane_value(const struct warp *w, const struct extra *e, unsigned i, unsigned lane)
{
    uint64_t v = 0;

    memcpy(&v, w->regs + e->rows[i] + lane * e->widths[i], e->widths[i]);
    return v;
}

/* Offset in the window of shared memory; UINT64_MAX: not shared memory. */
static uint64_t
shared_offset(uint64_t address, uint32_t flags)
{
    if ((flags & ADDRESS_GENERIC) != 0)
        address -= SHARED_WINDOW;
    return address < WINDOW_BYTES ? address : UINT64_MAX;
}

/* rows d, a, rank; x: flags */
static const struct insn *
op_mapa(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t at = shared_offset(lane_value(w, e, 1, lane), in->x);
        uint64_t rank = lane_value(w, e, 2, lane), v;

        if (at == UINT64_MAX)
            return fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                            "executes mapa with an address outside of shared memory");
        if (rank >= cluster_size(w->worker->run))
            return fault_at(w, in, lane, FAULT_ILLEGAL_ADDRESS,
                            "executes mapa for block %u of a cluster of %u",
                            (uint32_t)rank, cluster_size(w->worker->run));
        v = (rank + 1) * CLUSTER_STEP + at % CLUSTER_STEP +
            ((in->x & ADDRESS_GENERIC) != 0 ? SHARED_WINDOW : 0);
        memcpy(w->regs + e->rows[0] + lane * e->widths[0], &v, e->widths[0]);
    }
    return in + 1;
}

/* rows d, a; x: flags */
static const struct insn *
op_getctarank(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t at = shared_offset(lane_value(w, e, 1, lane), in->x);
        uint32_t rank = at == UINT64_MAX    ? UINT32_MAX
                        : at < CLUSTER_STEP ? w->block->rank
                                            : (uint32_t)(at / CLUSTER_STEP) - 1;

        memcpy(w->regs + e->rows[0] + lane * 4, &rank, 4);
    }
    return in + 1;
}

/* rows p, a; x: 1: shared memory of the whole cluster */
static const struct insn *
op_is_shared(struct warp *w, const struct insn *in)
{
    const struct extra *e = in->extra;
    uint32_t *p = (uint32_t *)(void *)(w->regs + e->rows[0]);

    for (uint32_t m = w->mask; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t at = shared_offset(lane_value(w, e, 1, lane), ADDRESS_GENERIC);
        bool own = at < CLUSTER_STEP || at / CLUSTER_STEP == w->block->rank + 1;

        *p &= ~(1u << lane);
        *p |= (uint32_t)(at != UINT64_MAX && (in->x != 0 || own)) << lane;
    }
    return in + 1;
}

/* --- the barrier --------------------------------------------------------- */

static void
let_go(struct cluster *c)
{
    c->missing = 0;
    for (uint32_t i = 0; i < c->size; i++) {
        struct block *b = c->blocks[i];

        if (b == NULL)
            continue;
        c->missing += b->live_threads;
        for (uint32_t k = 0; k < b->warp_count; k++) {
            struct warp *w = b->warps[k];

            if (w == NULL)
                continue;
            w->cluster_arrived = 0;
            for (uint32_t s = 0; s < w->split_count; s++)
                if (w->splits[s].state == SPLIT_AT_CLUSTER)
                    w->splits[s].state = SPLIT_READY;
        }
    }
}

void
cluster_exit(struct warp *w, uint32_t mask)
{
    struct cluster *c = w->block->cluster;

    c->missing -= (uint32_t)__builtin_popcount(mask & ~w->cluster_arrived);
    w->cluster_arrived &= ~mask;
    if (c->missing == 0)
        let_go(c);
}

/* Where race detection sees the barrier's releases and acquires: no memory's address, and
 * one for each cluster. */
static uint64_t
race_location(const struct warp *w)
{
    return 8 * (w->block->number / cluster_size(w->worker->run) + 1);
}

static const struct insn *
op_cluster_arrive(struct warp *w, const struct insn *in)
{
    struct cluster *c = w->block->cluster;
    uint32_t twice = w->mask & w->cluster_arrived;

    if (twice != 0)
        return fault_at(w, in, (unsigned)__builtin_ctz(twice), FAULT_BARRIER,
                        "arrives twice at the cluster's barrier without waiting");
    site_counts(w, in->y)->barriers++;
    for (uint32_t m = w->mask; w->block->race != NULL && m != 0; m &= m - 1)
        race_release(w, (unsigned)__builtin_ctz(m), race_location(w), RACE_EVERYTHING);
    w->cluster_arrived |= w->mask;
    c->missing -= (uint32_t)__builtin_popcount(w->mask);
    if (c->missing == 0)
        let_go(c);
    return in + 1;
}

static const struct insn *
op_cluster_wait(struct warp *w, const struct insn *in)
{
    uint32_t over = w->mask & ~w->cluster_arrived, waiting = w->mask & ~over;

    for (uint32_t m = over; w->block->race != NULL && m != 0; m &= m - 1)
        race_acquire(w, (unsigned)__builtin_ctz(m), race_location(w));
    if (waiting == 0)
        return in + 1;
    if (over != 0) {
        w->mask = over;
        warp_park(w, in + 1, SPLIT_READY);
        w->mask = waiting;
    }
    warp_park(w, in, SPLIT_AT_CLUSTER);
    return NULL;
}

/* --- decoding ------------------------------------------------------------ */

static int
decode_barrier(struct decoder *d, const struct ptx_insn *in)
{
    struct insn *out;

    if (in->operand_count != 0)
        return -1;
    if (ptx_has_mod(in, PTX_MOD_arrive)) {
        uint32_t site = site_new(d);

        out = emit(d, op_cluster_arrive);
        out->y = site;
        return 0;
    }
    if (!ptx_has_mod(in, PTX_MOD_wait))
        return -1;
    emit(d, op_cluster_wait);
    return 0;
}

/* A source of 4 or 8 bytes: a register, or in .shared the name of a variable. */
static int
decode_source(struct decoder *d, const struct ptx_operand *o, enum ptx_type type,
              struct extra *e, unsigned i)
{
    e->rows[i] = source(d, o, type);
    e->widths[i] = (uint8_t)ptx_type_bytes(type);
    return e->rows[i] != UINT32_MAX ? 0 : -1;
}

/* mapa{.shared::cluster}.type d, a, b; getctarank{.shared::cluster}.type d, a;
 * isspacep.shared{::cta, ::cluster} p, a */
static int
decode_address(struct decoder *d, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    bool is_mapa = in->op == PTX_OP_mapa, is_rank = in->op == PTX_OP_getctarank;
    enum ptx_type type = in->type_count == 1 ? (enum ptx_type)in->types[0] : PTX_u64;
    unsigned result = is_mapa ? ptx_type_bytes(type) : is_rank ? 4 : 0;
    struct extra *e = kernel_alloc(d, sizeof *e);
    struct insn *out;

    if (e == NULL || (type != PTX_u32 && type != PTX_u64) ||
        in->operand_count != (is_mapa ? 3 : 2))
        return -1;
    e->rows[0] = destination(d, &o[0], result);
    e->widths[0] = (uint8_t)result;
    if (e->rows[0] == UINT32_MAX || decode_source(d, &o[1], type, e, 1) != 0 ||
        (is_mapa && decode_source(d, &o[2], PTX_u32, e, 2) != 0))
        return -1;
    out = emit(d, is_mapa ? op_mapa : is_rank ? op_getctarank : op_is_shared);
    out->extra = e;
    if (is_mapa || is_rank)
        out->x = insn_space(in) == PTX_SPACE_GENERIC ? ADDRESS_GENERIC : 0;
    else
        out->x = ptx_has_mod(in, PTX_MOD_shared_cluster);
    return 0;
}

int
decode_cluster(struct decoder *d, const struct ptx_insn *in)
{
    switch (in->op) {
    case PTX_OP_barrier:
        return ptx_has_mod(in, PTX_MOD_cluster) ? decode_barrier(d, in) : -1;
    case PTX_OP_isspacep:
        return insn_space(in) == PTX_SPACE_SHARED ? decode_address(d, in) : -1;
    case PTX_OP_mapa:
    case PTX_OP_getctarank:
        return decode_address(d, in);
    default:
        return -1;
    }
}

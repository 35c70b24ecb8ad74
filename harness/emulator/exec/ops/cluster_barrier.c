/* barrier.cluster (PTX ISA 9.7.13.4): its handlers and their decoding. */
#include "../cluster.h"
#include "../cost/count.h"
#include "../decode/emit.h"
#include "../decode/families.h"
#include "../race/race.h"
#include "../warp_fault.h"

/* The address at which the race detector sees the barrier's releases and acquires. It is
 * no address of memory, and each cluster has its own. */
static uint64_t
race_location(const struct warp *w)
{
    return 8 * (w->block->number / cluster_size(w->worker->run) + 1);
}

static const struct insn *
op_cluster_arrive(struct warp *w, const struct insn *in)
{
    uint32_t twice = w->mask & w->cluster_arrived;

    if (twice != 0)
        return fault_at(w, in, (unsigned)__builtin_ctz(twice), FAULT_BARRIER,
                        "arrives twice at the cluster's barrier without waiting");
    site_counts(w, in->y)->barriers++;
    for (uint32_t m = w->mask; w->block->race != NULL && m != 0; m &= m - 1)
        race_release(w, (unsigned)__builtin_ctz(m), race_location(w), RACE_EVERYTHING);
    cluster_arrive(w);
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
        warp_park(w, in + 1, PATH_READY);
        w->mask = waiting;
    }
    warp_park(w, in, PATH_AT_CLUSTER);
    return NULL;
}

int
decode_cluster_barrier(struct decoder *d, const struct ptx_insn *in)
{
    struct insn *out;

    if (in->operand_count != 0 || !mod_read(d, in, PTX_MOD_cluster))
        return -1;
    if (mod_read(d, in, PTX_MOD_arrive)) {
        (void)MOD_READ_ANY(d, in, PTX_MOD_release, PTX_MOD_relaxed);
        uint32_t site = site_new(d);

        out = emit(d, op_cluster_arrive);
        out->y = site;
        return 0;
    }
    if (!mod_read(d, in, PTX_MOD_wait))
        return -1;
    (void)mod_read(d, in, PTX_MOD_acquire);
    emit(d, op_cluster_wait);
    return 0;
}

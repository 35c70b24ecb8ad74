/* Finds the host's bytes of one lane's address: what loads, stores and atomics share. */
#include "access.h"

#include "../cluster.h"
#include "../machine.h"
#include "../warp_fault.h"

const struct access_ops *
access_ops(const struct machine *m)
{
    return m->avx2 ? &access_avx2 : &access_generic;
}

handler
access_handler(const struct machine *m, const struct access *ac, enum ptx_space space,
               bool is_store)
{
    const struct access_ops *ops = access_ops(m);
    const handler *forms = is_store ? ops->store[space] : ops->load[space];
    enum access_form form = ac->elements != 1 || ac->bytes != ac->lane_bytes ? FORM_ANY
                            : ac->bytes == 2                                 ? FORM_2
                            : ac->bytes == 4                                 ? FORM_4
                            : ac->bytes == 8                                 ? FORM_8
                                                                             : FORM_ANY;

    return forms[form] != NULL ? forms[form] : forms[FORM_ANY];
}

/* The allocation that holds an address, or no_allocation. The worker remembers the last
 * one of each site. */
struct allocation *
access_find(struct warp *w, uint32_t slot, uint64_t address)
{
    struct worker *wk = w->worker;
    struct allocation *a = wk->hits[slot % HIT_SLOTS];

    if (address - a->start < a->bytes)
        return a;
    a = memory_lookup(wk->machine, address);
    if (a == NULL || !is_within_reach(wk->machine->current, wk->run->launch->peers, a))
        return &no_allocation;
    atomic_store_explicit(&a->touched_by, wk->run->number, memory_order_relaxed);
    wk->hits[slot % HIT_SLOTS] = a;
    return a;
}

static uint8_t *
lane_global(struct warp *w, const struct insn *in, unsigned lane, uint32_t slot,
            uint64_t address, uint32_t bytes, bool is_write)
{
    struct allocation *a = access_find(w, slot, address);
    uint64_t offset = address - a->start;

    if (offset >= a->bytes || bytes > a->bytes - offset) {
        fault_access(w, in, lane, PTX_SPACE_GLOBAL, address, bytes, is_write);
        return NULL;
    }
    if (a->shadow != NULL) {
        for (uint32_t i = 0; i < bytes; i++) {
            if (is_write) {
                a->shadow[offset + i] = 1;
            } else if (w->worker->run->checks && a->shadow[offset + i] == 0) {
                if (none_written(a->shadow + offset, bytes))
                    notice_uninitialized(w, in, lane, PTX_SPACE_GLOBAL, address, bytes);
                if (!a->imported)
                    fill_unwritten(a->host + offset, a->shadow + offset, bytes);
                break;
            }
        }
    }
    return a->host + offset;
}

static uint8_t *
lane_shared(struct warp *w, const struct insn *in, unsigned lane, uint64_t address,
            uint32_t bytes, bool is_write)
{
    uint8_t *shadow, *host = cluster_range(w, address, bytes, &shadow);

    if (host == NULL) {
        fault_access(w, in, lane, PTX_SPACE_SHARED, address, bytes, is_write);
        return NULL;
    }
    if (shadow != NULL) {
        for (uint32_t i = 0; i < bytes; i++) {
            if (is_write) {
                shadow[i] = 1;
            } else if (shadow[i] == 0) {
                if (none_written(shadow, bytes))
                    notice_uninitialized(w, in, lane, PTX_SPACE_SHARED, address, bytes);
                fill_unwritten(host, shadow, bytes);
                break;
            }
        }
    }
    return host;
}

static uint8_t *
lane_local(struct warp *w, const struct insn *in, unsigned lane, uint64_t address,
           uint32_t bytes, bool is_write)
{
    uint64_t limit = w->frame->local_base + w->frame->program->local_bytes;

    if (address > limit || bytes > limit - address) {
        fault_access(w, in, lane, PTX_SPACE_LOCAL, address, bytes, is_write);
        return NULL;
    }
    return local_at(w, lane, address);
}

uint8_t *
access_lane(struct warp *w, const struct insn *in, unsigned lane, uint32_t slot,
            enum ptx_space space, uint64_t address, uint32_t bytes, bool is_write)
{
    if (space == PTX_SPACE_GENERIC) {
        if (address - SHARED_WINDOW < WINDOW_BYTES) {
            space = PTX_SPACE_SHARED;
            address -= SHARED_WINDOW;
        } else if (address - LOCAL_WINDOW < WINDOW_BYTES) {
            space = PTX_SPACE_LOCAL;
            address -= LOCAL_WINDOW;
        }
    }
    if ((address & (bytes - 1)) != 0) {
        fault_misaligned(w, in, lane, space, address, bytes, is_write);
        return NULL;
    }
    if (space == PTX_SPACE_SHARED)
        return lane_shared(w, in, lane, address, bytes, is_write);
    if (space == PTX_SPACE_LOCAL)
        return lane_local(w, in, lane, address, bytes, is_write);
    return lane_global(w, in, lane, slot, address, bytes, is_write);
}

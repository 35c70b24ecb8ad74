/*
 * Clusters (PTX ISA 2.2.2): blocks that run at the same time, see each other's shared
 * memory and have a barrier of their own. One worker runs all blocks of a cluster, taking
 * turns (worker.c), so nothing here is atomic. A launch without clusters has clusters of
 * one block.
 *
 * The barrier (9.7.13.4) counts the live threads that have not arrived. A lane goes on if
 * the phase for which it waits is over, because it has not arrived in a later one.
 */
#include "cluster.h"

#include "fault.h"

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
            clock_meet(w, &c->latest);
            for (uint32_t s = 0; s < w->path_count; s++)
                if (w->paths[s].state == PATH_AT_CLUSTER)
                    w->paths[s].state = PATH_READY;
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

void
cluster_arrive(struct warp *w)
{
    struct cluster *c = w->block->cluster;

    w->cluster_arrived |= w->mask;
    clock_settle(w);
    clock_await(&c->latest, &w->path_clock);
    c->missing -= (uint32_t)__builtin_popcount(w->mask);
    if (c->missing == 0)
        let_go(c);
}

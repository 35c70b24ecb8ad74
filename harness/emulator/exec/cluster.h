/*
 * Clusters: blocks that run at the same time, see each other's shared memory and have a
 * barrier of their own (PTX ISA 2.2.2; cluster.c). A launch without clusters has clusters
 * of one block.
 */
#ifndef EMULATOR_CLUSTER_H
#define EMULATOR_CLUSTER_H

#include "launch.h"

enum { CLUSTER_MAX = 16 };

/* An address in .shared::cluster that is below CLUSTER_STEP is the block's own. The
 * shared memory of the block of rank r begins at (r + 1) * CLUSTER_STEP. */
#define CLUSTER_STEP ((uint64_t)1 << 24)

struct cluster {
    struct block *blocks[CLUSTER_MAX]; /* by rank; NULL: the block has ended */
    uint32_t size, present;
    uint32_t missing;         /* live threads that have not arrived at the barrier */
    struct warp_clock latest; /* of those that have */
};

/* Sets r->cluster from the launch. -1: the blocks cannot be divided so, and f says why.
 */
int cluster_configure(struct run *r, struct fault *f);
/* How many blocks a cluster has; 1 where there are no clusters. */
uint32_t cluster_size(const struct run *r);
/* The index of a block in its grid. Blocks are numbered cluster by cluster, and within a
 * cluster by rank. */
void cluster_place(const struct run *r, uint64_t number, uint32_t id[3]);
/* A cluster without blocks; NULL: the host has no memory. The worker keeps one that is
 * put back for the next time. */
struct cluster *cluster_new(struct worker *wk);
void cluster_put(struct worker *wk, struct cluster *c);
/* The block becomes the next one of the cluster. The cluster goes when its last block
 * leaves. */
void cluster_enter(struct block *b, struct cluster *c);
/* The block has ended. */
void cluster_leave(struct block *b);
/* The lanes of w->mask arrive at the cluster's barrier. */
void cluster_arrive(struct warp *w);
/* Lanes of the warp exit: they count as arrived at the cluster's barrier. */
void cluster_exit(struct warp *w, uint32_t mask);
/* Stores the value of %cluster_*, %clusterid.* or %nclusterid.*. false: r is another
 * register. */
bool cluster_register(const struct warp *w, enum ptx_sreg r, uint64_t *value);
/* The number of the block whose shared memory holds a generic address. *address becomes
 * the one that the owner itself uses. */
uint64_t cluster_owner(const struct block *b, uint64_t *address);
/* The host's bytes of a range of shared memory of any block in the cluster. NULL: the
 * range leaves its block. *shadow becomes their shadow, or NULL if there is none. */
uint8_t *cluster_range(struct warp *w, uint64_t address, uint64_t bytes,
                       uint8_t **shadow);

#endif

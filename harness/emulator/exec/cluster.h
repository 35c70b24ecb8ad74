/* Clusters of blocks (PTX ISA 2.2.2): see cluster.c. */
#ifndef EMULATOR_CLUSTER_H
#define EMULATOR_CLUSTER_H

#include "launch.h"

enum { CLUSTER_MAX = 16 };

/* Addresses of shared memory in .shared::cluster: below CLUSTER_STEP the block's own,
 * from (rank + 1) * CLUSTER_STEP on that of the block of this rank. */
#define CLUSTER_STEP ((uint64_t)1 << 24)

struct cluster {
    struct block *blocks[CLUSTER_MAX]; /* by rank; NULL: has ended */
    uint32_t size, present;
    uint32_t missing; /* live threads that have not arrived at the barrier */
};

/* The launch's clusters, into r->cluster; -1 and a fault: they can't be. */
int cluster_configure(struct run *r, struct fault *f);
/* Blocks of one; 1 where there are no clusters. */
uint32_t cluster_size(const struct run *r);
/* Blocks are numbered cluster by cluster, in a cluster by rank. */
void cluster_place(const struct run *r, uint64_t number, uint32_t id[3]);
/* Without blocks; NULL: the host has no memory for it. The worker keeps one that is put
 * back for the next time. */
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
/* The value of %cluster_*, %clusterid.*, %nclusterid.*; false: r is none of them. */
bool cluster_register(const struct warp *w, enum ptx_sreg r, uint64_t *value);
/* The number of the block whose shared memory a generic address is in; the address
 * becomes the one that this block itself has for it. */
uint64_t cluster_owner(const struct block *b, uint64_t *address);
/* The host's bytes of a range of shared memory of any block of the cluster, and its
 * shadow (NULL: none); NULL: it is not inside one block's. */
uint8_t *cluster_range(struct warp *w, uint64_t address, uint64_t bytes,
                       uint8_t **shadow);

#endif

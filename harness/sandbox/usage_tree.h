/*
 * Measures what all processes of a sandbox use together where they come and go, as those
 * of a compiler do. It is coarser than usage.h. CPU time is in ticks of the kernel's. The
 * time of a process that has ended is known once its parent has waited for it. An
 * interval was sleep if no process ran, waited for a CPU or waited for the disk at either
 * end of it, and none got a tick.
 */
#ifndef SANDBOX_USAGE_TREE_H
#define SANDBOX_USAGE_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define USAGE_TREE_STEP_MS 1000 /* between two looks */

struct usage_tree {
    uint64_t cpu_ns, slept_ns;
    uint64_t looked_ns; /* when; 0: never yet */
    bool asleep;        /* then */
};

/* root: the process that all others descend from. A root that is gone uses nothing. */
void usage_tree_look(struct usage_tree *t, pid_t root, uint64_t now_ns);

#endif

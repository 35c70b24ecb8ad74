/*
 * What all processes of a sandbox use together, where they are many and come and go: a
 * compiler's. It is coarser than usage.h: CPU time is in ticks of the kernel's, of a
 * process that has ended it is what its parent has taken over (wait), and it was sleep
 * between two looks only if no process was seen to run, wait for a CPU or wait for the
 * disk at either, and none got a tick.
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

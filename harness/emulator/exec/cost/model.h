/*
 * The modelled time: what the launch would take on the modelled device, from its
 * counters. Only integer and double arithmetic (+ - * / and sqrt, which IEEE 754 defines
 * to the bit, and comparisons; no library functions, no fused operations), so the result
 * is the same to the bit on every machine for the same inputs. See model.c for the
 * formula.
 */
#ifndef EMULATOR_MODEL_H
#define EMULATOR_MODEL_H

#include "../exec.h"

/* What the formula needs to know of a launch beside its counters. */
struct launch_shape {
    uint64_t blocks;
    uint32_t threads_per_block, shared_per_block, registers_per_thread;
    uint64_t touched_bytes;      /* sizes of the allocations that were accessed, summed */
    uint64_t touched_host_bytes; /* of them, pinned and managed memory */
    uint64_t touched_peer_bytes; /* of them, of another device */
};

struct model_time {
    double ns, launch_ns;
    double bound_ns[COST_BOUND_COUNT];
    enum cost_bound bound; /* the largest */
    uint32_t blocks_per_sm;
};

void model_launch(const struct device_model *d, const struct launch_shape *s,
                  const struct counters *c, struct model_time *out);
/* How much of what bounds a launch one line has, 0 to 1. */
double model_part(const struct device_model *d, enum cost_bound bound,
                  const struct counters *line, const struct counters *all);
/* Bytes that a launch moved from or to the host's memory, at most. */
uint64_t model_host_bytes(const struct launch_shape *s, const struct counters *c);
/* What work on the host is charged with, for bytes that it has been given. */
double model_host_ns(const struct device_model *d, uint64_t bytes);
double model_copy_ns(const struct device_model *d, enum copy_kind kind, uint64_t bytes);
/* Blocks of this shape that one SM holds at once; 0: it does not fit. */
uint32_t model_blocks_per_sm(const struct device_model *d, uint32_t threads,
                             uint32_t shared_bytes, uint32_t registers);

#endif

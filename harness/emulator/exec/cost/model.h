/*
 * The modelled time: how long a launch would take on the modelled device, computed from
 * its counters. model.c has the formula.
 *
 * For the same inputs the result is the same to the bit on every machine. It is made of
 * integers, comparisons, and + - * / and sqrt of doubles, which IEEE 754 defines to the
 * bit. Nothing calls another function of the C library, and no operations are fused.
 */
#ifndef EMULATOR_MODEL_H
#define EMULATOR_MODEL_H

#include "schedule.h"

/* What the formula takes beside the counters of a launch. */
struct launch_shape {
    uint64_t blocks;
    uint32_t threads_per_block, shared_per_block, registers_per_thread;
    uint64_t touched_bytes;          /* sum of the sizes of the allocations accessed */
    uint64_t touched_peer_bytes;     /* their part on another device */
    uint64_t polled_sectors;         /* of those that miss L1, read again by polling */
    const struct schedule *schedule; /* of all of its blocks */
};

struct model_time {
    double ns, launch_ns;
    double bound_ns[COST_BOUND_COUNT];
    enum cost_bound bound; /* the largest */
    uint32_t blocks_per_sm, limit_blocks[OCCUPANCY_LIMIT_COUNT];
};

void model_launch(const struct device_model *d, const struct launch_shape *s,
                  const struct counters *c, struct model_time *out);
/* The part, 0 to 1, that one line has in what bounds a launch. */
double model_part(const struct device_model *d, enum cost_bound bound,
                  const struct counters *line, const struct counters *all);
/* The modelled time of work on the host, for the bytes that it was given. */
double model_host_ns(const struct device_model *d, uint64_t bytes);
/* Of a copy or memset of so many bytes, for which the device's memory moves sectors. */
double model_copy_ns(const struct device_model *d, enum copy_kind kind, uint64_t bytes,
                     uint64_t sector_bytes);
/* How many threads of a kernel with this many registers a block can have. */
uint32_t model_threads_max(const struct device_model *d, uint32_t registers);

/* How many blocks of this shape one SM holds at once; 0: none fits. */
uint32_t model_blocks_per_sm(const struct device_model *d, uint32_t threads,
                             uint32_t shared_bytes, uint32_t registers);

#endif

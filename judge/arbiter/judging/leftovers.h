/*
 * Looks at what a submission leaves behind, before its verdict is believed and the next
 * one begins. Are all its processes gone? Does the device still work, and is its memory
 * free again? Did the machine sleep meanwhile?
 *
 * A GPU that has failed, or a night's sleep, can make a right submission look wrong. Such
 * a judgement has failed, and the daemon makes it again.
 */
#ifndef ARBITER_JUDGING_LEFTOVERS_H
#define ARBITER_JUDGING_LEFTOVERS_H

#include "base/report.h"
#include "device/device.h"

#include <stdint.h>

struct judgement;

/* A driver gives back a dead process's memory a little later. These are how long that is
 * waited for, and the time between two looks. */
#define GIVEN_BACK_NS UINT64_C(2000000000)
#define GIVEN_BACK_STEP_NS 20000000L

/* What the machine was like before the submission. */
struct before {
    uint64_t slept_ns; /* of the machine, since it was started */
    struct device_memory memory[DEVICE_GPUS_MAX];
    uint64_t neighbour_bytes; /* what a neighbour held in its buffers by then */
};

/* To be called before the submission is loaded. What the arbiter before this one still
 * holds (gpu_lock.h) counts as in use already. So as much less can be missed afterwards.
 * -1: the device is of no use. */
int before_submission(struct judgement *j, struct report *r);

/* The same as soon as the arbiter that this one has followed is gone. -1 also where that
 * one has left a process. */
int before_alone(struct judgement *j, struct report *r);

/* The bytes of one GPU's memory that were free or ours before and are neither now, beyond
 * what the reference may have taken. 0 if the GPU does not tell. */
uint64_t leftovers_missing(const struct device_memory *before,
                           const struct device_memory *now);

/* Ends the submission's runner and looks what it leaves behind. If memory does not come
 * back, an accepted time without a remark gets one. -1: the judgement cannot stand, and
 * *r says why. */
int leftovers_check(struct judgement *j, struct report *r);

#endif

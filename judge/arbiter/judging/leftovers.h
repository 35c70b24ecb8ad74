/*
 * After the submission has run, before its verdict is believed and the next one begins:
 * is all of it gone, does the device still work and have its memory back, did the machine
 * sleep meanwhile. What a submission seems to have done wrong on a card that has failed,
 * or across a night's sleep, is none of its doing: such a judgement has failed, and the
 * daemon makes it again.
 */
#ifndef ARBITER_JUDGING_LEFTOVERS_H
#define ARBITER_JUDGING_LEFTOVERS_H

#include "base/report.h"
#include "device/device.h"

#include <stdint.h>

struct judgement;

/* A driver gives back a dead process's memory a little later: how long that is waited
 * for, and how often it is looked. */
#define GIVEN_BACK_NS UINT64_C(2000000000)
#define GIVEN_BACK_STEP_NS 20000000L

struct before {
    uint64_t slept_ns;
    struct device_memory memory[DEVICE_GPUS_MAX];
};

/* Before any process of the submission, and before another judgement is prepared beside
 * this one. What the one before still holds (gpu_lock.h) seems to have been in use
 * always, so that as much less is missed afterwards. -1: the device is of no use. */
int before_submission(struct before *b, struct device *d, struct report *r);

/* Bytes of the card's memory that were free or ours before and are neither now, beyond
 * what the reference may have taken. 0 where the card does not tell. */
uint64_t leftovers_missing(const struct device_memory *before,
                           const struct device_memory *now);

/* Ends the submission's runner. Memory that does not come back becomes a remark of an
 * accepted time that has none yet. -1: the judgement cannot stand, *r says why. */
int leftovers_check(struct judgement *j, struct report *r);

#endif

/*
 * What an arbiter that stays keeps from one judgement for the next: a GPU with a context,
 * and nothing else. It has no buffer then, and no process but this one has seen more of
 * it than its buffers. docs/security.md says why that is safe.
 */
#ifndef ARBITER_JUDGING_STOCK_H
#define ARBITER_JUDGING_STOCK_H

#include "device/device.h"
#include "record/job.h"

struct stock {
    char *name;            /* of the device: "cuda:0"; NULL: nothing is kept */
    struct device *device; /* NULL: nothing is kept */
    bool last;             /* nothing more is kept: this judgement is the last one */
};

/* The device for this job, which is the caller's from then on. NULL: it is not kept. What
 * is kept of another device is closed. `s` may be NULL. */
struct device *stock_take(struct stock *s, const struct job *job);

/* Keeps the device, which was opened for this job, or closes it where it may serve no
 * other. Both may be NULL. */
void stock_keep(struct stock *s, const struct job *job, struct device *d);

/* Closes what is kept. */
void stock_close(struct stock *s);

#endif

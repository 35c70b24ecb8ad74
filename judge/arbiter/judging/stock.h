/*
 * What an arbiter that stays keeps from one judgement for the next: a GPU with a context,
 * and the process of a reference, which has another. The arbiter has no buffer then. The
 * reference's process has run the problem's code only, and has no buffer of a judgement's
 * mapped. docs/security.md says why that is safe.
 */
#ifndef ARBITER_JUDGING_STOCK_H
#define ARBITER_JUDGING_STOCK_H

#include "arbiter/judging/reference.h"
#include "device/device.h"
#include "record/job.h"

struct stock {
    char *name;                  /* of the device: "cuda:0"; NULL: nothing is kept */
    struct device *device;       /* NULL: nothing is kept */
    struct reference *reference; /* on that device; NULL: none is kept */
    bool last; /* nothing more is kept: this judgement is the last one */
};

/* The device for this job, which is the caller's from then on. NULL: it is not kept. What
 * is kept of another device is closed. `s` may be NULL. */
struct device *stock_take(struct stock *s, const struct job *job);

/* The reference that reference_open would start, which is the caller's from then on.
 * NULL: it is not kept. Another one is closed. `s` may be NULL. */
struct reference *stock_take_reference(struct stock *s, const struct reference_options *o,
                                       const struct device *target);

/* Keeps the reference, or closes it where it may serve no other. stock_keep must follow.
 * Both may be NULL. */
void stock_keep_reference(struct stock *s, struct reference *reference);

/* Keeps the device, which was opened for this job, or closes it where it may serve no
 * other, and with it the reference. Both may be NULL. */
void stock_keep(struct stock *s, const struct job *job, struct device *d);

/* The process of the reference that is kept; 0: none is. */
pid_t stock_pid(const struct stock *s);

/* Closes what is kept. */
void stock_close(struct stock *s);

#endif

/*
 * The devices of this machine. The daemon asks `warpjudge-arbiter --devices` (one JSON
 * object a line), so that no CUDA context, and no driver's threads, live in the daemon.
 */
#ifndef DAEMON_DEVICES_H
#define DAEMON_DEVICES_H

#include "core/config.h"
#include "core/problem.h"
#include "core/report.h"
#include "daemon/child.h"

#include <stdint.h>

#define DEVICES_MAX 32

struct device_entry {
    char *name;  /* "cuda:0", "emu": what people write */
    char *board; /* "NVIDIA H200", "emu": what ranks together */
    char *title; /* "NVIDIA H200 (cuda:0)" */
    char *arch;  /* what nvcc is asked for */
    int64_t memory_bytes;
};

struct listing;

struct devices {
    struct device_entry entry[DEVICES_MAX]; /* the first is the default */
    int count;
    struct listing *listing; /* under way; NULL: none */
    struct report trouble;   /* why the last listing failed */
};

/* At the start: runs the loop until the arbiter has answered. */
int devices_load(struct devices *d, const struct config *c, struct event_base *base,
                 struct children *children, struct report *r);

/* Later, when something failed that the loss of a device would explain: asks the arbiter
 * again in the background. `ended` is called when the entries are the new ones, or, where
 * the arbiter has no good answer, still the old ones. Does nothing while it is under way.
 */
void devices_refresh(struct devices *d, const struct config *c, struct children *children,
                     void (*ended)(void *arg), void *arg);
bool devices_refreshing(const struct devices *d);

void devices_free(struct devices *d);

/* Of so many CPUs, those for compilers, and for what runs on emu: beside a timed call
 * they take CPU time and caches from the processes that the clock waits for. So where
 * there are CPUs enough, some are left free for each card. At least one. */
int devices_spare_cpus(const struct devices *d, int cpus);

/* By name, or NULL. */
const struct device_entry *devices_find(const struct devices *d, const char *name);

/* What a submission to a problem for two GPUs gets beside this device: the next one of
 * its kind, by board, in the order of the list, and after the last the first. NULL: there
 * is none. */
const struct device_entry *devices_partner(const struct devices *d,
                                           const struct device_entry *e);

/* Is the problem judged on this device, of this machine? -1 and a reason: it is not. */
int devices_take(const struct devices *d, const struct device_entry *e,
                 const struct problem *p, struct report *r);

/* Every name with commas between, for messages. The caller frees. */
char *devices_names(const struct devices *d);

#endif

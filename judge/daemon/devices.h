/*
 * The devices of this machine, and boards that only workers judge for, which are called
 * by their board's name. The daemon asks `warpjudge-arbiter --devices`, which
 * prints one JSON object a line. So no CUDA context and no thread of the driver lives in
 * the daemon.
 */
#ifndef DAEMON_DEVICES_H
#define DAEMON_DEVICES_H

#include "base/config.h"
#include "base/report.h"
#include "daemon/child.h"
#include "problem/problem.h"

#include <stdbool.h>
#include <stdint.h>

#define DEVICES_MAX 32
#define BOARDS_OF_TOKEN_MAX 8 /* which a token's workers are the first to name */

struct device_entry {
    char *name;   /* "cuda:0", "emu": what people write */
    char *board;  /* "NVIDIA H200", "emu": what ranks together */
    char *title;  /* "NVIDIA H200 (cuda:0)" */
    char *arch;   /* what nvcc is asked for */
    char *driver; /* its version; "" where there is none */
    char *models; /* the GPU that modelled times are of, for people; "" where none are */
    int64_t memory_bytes;
    int pair_gpus; /* 2 where a worker for the board has had two, or is to have; else 0 */
    bool remote;   /* only workers judge for it */
    int64_t token; /* of the worker that was the first to name it; 0: none was */
};

struct listing;

struct devices {
    struct device_entry entry[DEVICES_MAX]; /* the first is the default */
    int count;
    int cpus;                /* on which the daemon may run */
    bool workers_only;       /* --workers-only: none of this machine's judges */
    uint64_t generation;     /* how often they were listed */
    struct listing *listing; /* the listing that is under way, or NULL */
    struct report trouble;   /* why the last listing failed */
};

/* Lists the devices at the daemon's start. It runs the loop until the arbiter has
 * answered. */
int devices_load(struct devices *d, const struct config *c, struct event_base *base,
                 struct children *children, struct report *r);

/* Lists the devices again in the background, after a failure that the loss of a device
 * would explain. `ended` is called when the entries are the new ones, or still the old
 * ones where the arbiter has no good answer. It does nothing while a listing is under
 * way. */
void devices_refresh(struct devices *d, const struct config *c, struct children *children,
                     void (*ended)(void *arg), void *arg);
bool devices_refreshing(const struct devices *d);

void devices_free(struct devices *d);

/* How many of the machine's CPUs compilers may use, and what runs on emu: those that are
 * not left free for its GPUs (base/cpus.h). The result is at least 1. */
int devices_spare_cpus(const struct devices *d);

/* To how many of this machine's CPUs a compiler keeps, and an arbiter on emu, as
 * child_spec.cpus has it; 0: to any, as where there is no GPU. Some of those for
 * compilers are not for emu. Else a GPU would wait for a compiler that has a small share
 * of a CPU, since each emulated GPU has many threads. */
int devices_compiler_cpus(const struct devices *d);
int devices_emu_cpus(const struct devices *d);

/* How many submissions are judged on emu at a time where nobody says it: one for each two
 * of the CPUs that it may use. Each has 2 GiB of the machine's memory, and ids for its
 * sandboxes, or there are fewer. The result is at least 1. */
int devices_emu_width(const struct devices *d);

/* The device with this name, or NULL. */
const struct device_entry *devices_find(const struct devices *d, const char *name);

/* Does this machine judge for a device of this name? */
bool devices_is_here(const struct devices *d, const char *name);

/* Is it the form of the name of a machine's own device, and not that of a board? */
bool devices_is_own_name(const char *name);

/* Workers judge for this board: where no device has it, it gets one that people can
 * choose. It is kept until the daemon ends. The token is that of the worker that names
 * it, or 0 where the judge's own settings do. -1 where there are too many, of this token
 * or of all. */
int devices_add_board(struct devices *d, const char *board, const char *arch,
                      int64_t memory_bytes, int64_t token, struct report *r);

/* A worker has two GPUs of this board, or pilots of a cluster are to have them. Problems
 * for two are taken then, also where this machine has one GPU of the board. They wait
 * while no worker with two is there. */
void devices_note_pair(struct devices *d, const char *board);

/* The second device for a problem for two GPUs: the next one on the same board, in the
 * order of the list, and after the last the first. NULL where there is none. */
const struct device_entry *devices_partner(const struct devices *d,
                                           const struct device_entry *e);

/* 0 if the problem is judged on this device, by this machine or by workers; else -1 and
 * the reason. */
int devices_take(const struct devices *d, const struct device_entry *e,
                 const struct problem *p, struct report *r);

/* The names of all devices with commas between them, for messages. The caller frees. */
char *devices_names(const struct devices *d);

#endif

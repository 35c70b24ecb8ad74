/*
 * What the arbiter and a runner say to each other over one SOCK_SEQPACKET socket pair.
 * Each message is one packet of a fixed size, so neither side ever parses a stream. Byte
 * order is native, because both processes run on one machine.
 *
 * Until a runner is told what to load, it is a program of ours (main.c) that has seen no
 * byte of a submission. From then on it is untrusted, and the arbiter believes nothing
 * that it says. A reply only tells the arbiter when to look and what to show a person.
 *
 *   arbiter                         runner
 *   LOAD + fd                  ->   loads a shared object (guest.h), to which all calls
 *                                   now go; it answers only if that fails:
 *                              <-   READY RUNNER_UNLOADABLE, text
 *   ATTACH kind, bytes [+ fd]  ->   maps the memory as the next slot: 0, 1, ...
 *                              <-   READY status
 *   CALL args                  ->   makes the arguments from slots and scalars
 *                              <-   READY status; then it waits in a read
 *   RELEASE                    ->   solve(args); cudaDeviceSynchronize() on each GPU
 *                              <-   DONE status (a CUDA error code), text
 *   ...                             any number of CALL and RELEASE
 *   DETACH bytes               ->   unmaps all slots from number `bytes` on; the next
 *                                   slot gets that number
 *                              <-   READY status
 *   (end of file)                   the runner exits
 */
#ifndef RUNNER_PROTOCOL_H
#define RUNNER_PROTOCOL_H

#include "base/descriptors.h"

#include <errno.h>
#include <stdint.h>

#define RUNNER_ARGS_MAX 128 /* a checker has three arguments for every inout buffer */
#define RUNNER_SLOTS_MAX                                                                 \
    320 /* eight sets of buffers for timed calls, and the buffers of a test */
#define RUNNER_TEXT_MAX 456
#define RUNNER_UNLOADABLE (-ENOEXEC) /* a status of READY and DONE */

enum runner_op {
    RUNNER_ATTACH = 1,
    RUNNER_CALL,
    RUNNER_RELEASE,
    RUNNER_DETACH,
    RUNNER_READY,
    RUNNER_DONE,
    RUNNER_LOAD,
};

enum runner_memory {
    RUNNER_MEMORY_HOST,    /* fd is a memfd: mmap it (references in C) */
    RUNNER_MEMORY_CUDA,    /* fd is a cuMemCreate POSIX handle: import and map it */
    RUNNER_MEMORY_PINNED,  /* fd is a memfd: mmap it, and register it with CUDA */
    RUNNER_MEMORY_ADDRESS, /* no fd: address is already a device address (emu) */
};

struct runner_arg {
    int32_t slot; /* >= 0: pointer to that slot's memory + value; -1: the scalar value */
    uint32_t pad;
    uint64_t value;
};

struct runner_request {
    uint32_t op;       /* enum runner_op */
    uint32_t memory;   /* ATTACH: enum runner_memory */
    uint64_t bytes;    /* ATTACH: size to map (for CUDA a multiple of the granularity);
                          DETACH: how many slots stay */
    uint64_t address;  /* ATTACH with RUNNER_MEMORY_ADDRESS */
    uint32_t device;   /* ATTACH with RUNNER_MEMORY_CUDA: ordinal within the runner */
    uint32_t awake_ms; /* how long to look for the next request without sleeping, in ms */
    uint32_t cpu; /* CALL: wait for the release on CPU number cpu - 1; 0: on any CPU */
    uint32_t arg_count;
    struct runner_arg arg[RUNNER_ARGS_MAX];
};

/* How the host treated a call that went well. */
struct runner_host {
    int64_t launch_ns; /* from the release until solve() returned */
    int64_t preempted; /* how often the runner lost its CPU, from READY until solve()
                          returned */
    int32_t cpu; /* the CPU that the runner was on when it sent this; -1: not known */
    uint32_t pad;
};

struct runner_reply {
    uint32_t op;    /* RUNNER_READY or RUNNER_DONE */
    int32_t status; /* 0, a CUDA error code, or (READY) -errno */
    /* The text of an error: the runtime's name for it, then its description. The reader
     * terminates it, because a hostile runner may leave out the NUL. */
    char text[RUNNER_TEXT_MAX];
    struct runner_host
        host; /* set by a DONE without an error; otherwise cpu is -1 and the rest 0 */
};

/* Programs of tests/attacks that forge replies contain this size as a number. */
_Static_assert(sizeof(struct runner_reply) == 488, "a reply has another size");

#endif

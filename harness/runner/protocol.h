/*
 * What the arbiter and a runner say to each other over one SOCK_SEQPACKET socket pair:
 * each message is one fixed-size packet, so that neither side ever parses a stream.
 *
 * A runner is a program of ours (main.c) until it is told what to load; no byte of a
 * submission's has been looked at in it before. From then on it is untrusted: the arbiter
 * believes nothing it says; a reply tells only when to look and what to show a person.
 * Everything here is native byte order: both processes run on one machine.
 *
 *   runner's descriptors   3: this socket    4: the emulated GPU's socket (emu only)
 *
 *   arbiter                          runner
 *   LOAD + fd                   ->   loads a shared object (guest.h), whose the calls are
 *                                    from here on; no answer, unless it cannot be loaded:
 *                               <-   READY RUNNER_UNLOADABLE, text
 *   ATTACH kind, bytes [+ fd] ->     maps the memory; slots are numbered 0, 1, ... in
 * order
 *                               <-   READY status
 *   CALL args                   ->   fills its argument block from slots and scalars
 *                               <-   READY status      then waits in a read
 *   RELEASE                     ->   solve(args); cudaDeviceSynchronize(), on each GPU
 *                               <-   DONE status (a CUDA error code), text
 *   ...                              any number of CALL/RELEASE
 *   DETACH bytes                ->   unmaps every slot from number `bytes` on, which is
 *                                    the next one's number then
 *                               <-   READY status
 *   (end of file)                    the runner exits
 */
#ifndef RUNNER_PROTOCOL_H
#define RUNNER_PROTOCOL_H

#include <errno.h>
#include <stdint.h>

#define RUNNER_FD 3
#define RUNNER_GPU_FD 4
#define RUNNER_ARGS_MAX 128  /* a checker sees every inout buffer three times */
#define RUNNER_SLOTS_MAX 320 /* eight sets of the timed calls' buffers, and a test's */
#define RUNNER_TEXT_MAX 456
#define RUNNER_UNLOADABLE (-ENOEXEC) /* a status */

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
    uint32_t awake_ms; /* how long to look for the next request without sleeping */
    uint32_t cpu;      /* CALL: wait for the release on this CPU, from 1; 0: on any */
    uint32_t arg_count;
    struct runner_arg arg[RUNNER_ARGS_MAX];
};

/* How the host was to a call that went well. */
struct runner_host {
    int64_t launch_ns; /* from the release until solve() returned */
    int64_t preempted; /* how often the kernel took the runner's CPU from READY to then */
    int32_t cpu;       /* that the runner was on when it sent this; -1: not known */
    uint32_t pad;
};

struct runner_reply {
    uint32_t op;    /* RUNNER_READY or RUNNER_DONE */
    int32_t status; /* 0, a CUDA error code, or (READY) -errno */
    /* Of an error: cudaGetErrorName: cudaGetErrorString. NUL-terminated, or not: the
     * reader terminates it */
    char text[RUNNER_TEXT_MAX];
    struct runner_host host; /* DONE without an error; else cpu is -1 and all else 0 */
};

/* The programs of tests/attacks that forge replies have their size by heart. */
_Static_assert(sizeof(struct runner_reply) == 488, "a reply has another size");

#endif

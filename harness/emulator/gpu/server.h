/*
 * Inside the emulated GPU's process. Two threads (main.c tells why): the control thread
 * reads the owner's requests, the execution thread does everything else. What both touch
 * is under `lock`; all the rest, the machine included, is the execution thread's alone.
 */
#ifndef EMULATOR_GPU_SERVER_H
#define EMULATOR_GPU_SERVER_H

#include "protocol.h"

#include "../work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVER_CLIENTS_MAX 64 /* connected at one time */

struct client;

/* Host memory that is device memory too: the owner's memfds, a client's pinned and
 * managed memory. The server maps it and owns the mapping. */
struct mapping {
    struct mapping *next;
    uint64_t address, bytes; /* bytes: of the mapping, whole pages */
    void *host;
};

struct server {
    struct machine *machine;
    struct work_count *work; /* of all clients; NULL where there is no owner (tests) */
    int control_fd;          /* -1 where there is none (tests) */
    int wake_fd;             /* eventfd: a task waits for the execution thread */
    struct mapping *owned;   /* the owner's imports */
    uint64_t
        shared_bytes; /* clients' pinned and managed memory, bounded like the device's */
    uint64_t shared_next; /* where the next of it goes, if that is free */

    pthread_mutex_t lock;
    struct client *clients; /* changed by the execution thread only */
    struct client *current; /* whose requests are being executed */
    bool running;           /* machine_launch is on */
    bool interrupting;      /* and is to end */
    struct gpu_control task;
    int task_fd; /* descriptor that came with it, or -1 */
    atomic_bool task_waiting;
};

/* NULL: no host memory. The server owns neither control_fd nor wake_fd. */
struct server *server_new(const struct machine_options *options);
void server_free(struct server *s);

/* Serves the control socket until it closes; then the process has nothing left to do and
 * this returns 0, or -1 if it could not be set up. */
int server_run(int control_fd);

/* --- used by the parts of the server ------------------------------------------------ */

/* Brackets a launch, so that the control thread can interrupt it; false: it is already
 * interrupted and must not start. */
bool server_launch_begin(struct server *s, struct client *c);
void server_launch_end(struct server *s);

/* Maps a memfd and makes it device memory; the caller keeps the descriptor. NULL: there
 * is no memory or no room for it. */
struct mapping *server_map(struct server *s, int memfd, uint64_t bytes, bool initialized);

/* The same, at an address where a client can map it, too (wanted, or where that is 0
 * anywhere). Of the bytes mapped, whole pages, the first `used` are device memory: a
 * kernel that goes past them is as wrong as on memory of its own. */
struct mapping *server_map_shared(struct server *s, int memfd, uint64_t bytes,
                                  uint64_t wanted, uint64_t used);
/* The same, but nothing is made device memory: its addresses are only free. */
struct mapping *server_map_reserved(struct server *s, int memfd, uint64_t bytes,
                                    uint64_t wanted);
void server_unmap(struct server *s, struct mapping *m); /* frees m */

/* The execution thread's answer to the owner's request, the descriptor in fd included (it
 * is closed here). */
void control_execute(struct server *s, const struct gpu_control *q, int fd,
                     struct gpu_control_reply *reply);

#endif

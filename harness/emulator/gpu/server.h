/*
 * Inside the emulated GPU's process there are two threads (main.c says why). The
 * control thread reads the owner's requests, and the execution thread does everything
 * else. What both touch is under `lock`. All else, the machine included, belongs to the
 * execution thread.
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

struct assembly;
struct client;

/* Host memory that is also device memory: the owner's memfds, and the clients' pinned
 * and managed memory. The server maps it and owns the mapping. */
struct mapping {
    struct mapping *next;
    uint64_t address, bytes; /* bytes: of the mapping, in whole pages */
    void *host;
};

struct server {
    struct machine *machine;
    struct work_count *work; /* of all clients; NULL where there is no owner (tests) */
    int control_fd;          /* -1: none (tests) */
    int wake_fd;             /* an eventfd: a task waits for the execution thread */
    struct mapping *owned;   /* the owner's imports */
    uint64_t
        shared_bytes; /* clients' pinned and managed memory, bounded like the device's */
    struct assembly *assembly; /* what the owner has told last; NULL: nothing */
    uint64_t shared_next;      /* where the next mapping goes if that is free */

    pthread_mutex_t lock;
    struct client *clients; /* changed by the execution thread only */
    struct client *current; /* the client whose requests are being executed */
    bool running;           /* machine_launch is running */
    bool interrupting;      /* the launch shall end */
    bool stopped; /* by an interrupt: no launch begins before the owner's next request is
                     done */
    struct gpu_control task;
    int task_fd;                    /* the descriptor that came with the task; -1: none */
    struct gpu_control_reply reply; /* of the task: no memory may be left to make one */
    atomic_bool task_waiting;
};

/* NULL: no host memory. The server owns neither control_fd nor wake_fd. */
struct server *server_new(const struct machine_options *options);
void server_free(struct server *s);

/* Serves the control socket until it closes. Returns 0 when the process has nothing
 * left to do, or -1 if it could not start. */
int server_run(int control_fd);

/* --- used by the parts of the server ------------------------------------------------ */

/* These enclose a launch, so that the control thread can interrupt it. false: it is
 * already interrupted and must not start. */
bool server_launch_begin(struct server *s, struct client *c);
void server_launch_end(struct server *s);

/* Maps a memfd and makes it device memory. The caller still owns the descriptor. NULL:
 * there is no memory or no address left. */
struct mapping *server_map(struct server *s, int memfd, uint64_t bytes, bool initialized);

/* The same, at an address where a client can map it too: `wanted`, or any if that is 0.
 * The mapping has whole pages, of which the first `used` bytes become device memory. So
 * a kernel that goes past them commits a fault, as on memory of its own. */
struct mapping *server_map_shared(struct server *s, int memfd, uint64_t bytes,
                                  uint64_t wanted, uint64_t used);
/* The same, but nothing becomes device memory: the addresses are only kept free. */
struct mapping *server_map_reserved(struct server *s, int memfd, uint64_t bytes,
                                    uint64_t wanted);
void server_unmap(struct server *s, struct mapping *m); /* frees m */

/* Executes the owner's request and answers it. A descriptor in fd is closed here. */
void control_execute(struct server *s, const struct gpu_control *q, int fd,
                     struct gpu_control_reply *reply);

#endif

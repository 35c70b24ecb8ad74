/* What the files command*.c share: handlers of requests, and what handlers need. */
#ifndef EMULATOR_GPU_COMMAND_H
#define EMULATOR_GPU_COMMAND_H

#include "client.h"

/* Executes c->request and fills the reply. text is the inline bytes. Returns enum
 * gpu_status. */
typedef int handler(struct server *s, struct client *c, const unsigned char *text,
                    struct gpu_reply *reply);

#define X(name, function) handler command_##function;
GPU_OPS(X)
#undef X

int fault_status(enum fault_kind kind);

/* Keeps the first fault for the owner. Returns the status of f. */
int keep_fault(struct client *c, const struct fault *f);

/* Where the rows of a request's copy go on the device. */
struct region request_target(const struct gpu_request *q);

/* The client's own allocation that holds address, or NULL. */
struct allocation *allocation_at(const struct client *c, uint64_t address);

/* Makes memory of `wanted` bytes that the client maps too, at address `at` unless that
 * is 0. The memory's descriptor leaves with the reply. reserve_only: see
 * server_map_reserved. NULL: there is no memory, or another descriptor is on its way. */
struct mapping *client_share(struct server *s, struct client *c, uint64_t wanted,
                             uint64_t at, bool reserve_only);

#endif

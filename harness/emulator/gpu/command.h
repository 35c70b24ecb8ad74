/* What the files of command*.c share: the handlers of requests, and what they need. */
#ifndef EMULATOR_GPU_COMMAND_H
#define EMULATOR_GPU_COMMAND_H

#include "client.h"

/* Executes c->request and fills the reply; returns enum gpu_status. text: the inline
 * bytes. */
typedef int handler(struct server *s, struct client *c, const unsigned char *text,
                    struct gpu_reply *reply);

#define X(name, function) handler command_##function;
GPU_OPS(X)
#undef X

int status_of(enum fault_kind kind);

/* The first fault is kept for the owner. Returns its status. */
int keep_fault(struct client *c, const struct fault *f);

/* The client's own allocation that holds address, or NULL. */
struct allocation *allocation_at(const struct client *c, uint64_t address);

/* Memory of wanted bytes that the client maps, too (at address `at` unless that is 0):
 * its descriptor leaves with the reply. reserve_only: see server_map_reserved. NULL:
 * none, or a descriptor is on its way. */
struct mapping *client_share(struct server *s, struct client *c, uint64_t wanted,
                             uint64_t at, bool reserve_only);

#endif

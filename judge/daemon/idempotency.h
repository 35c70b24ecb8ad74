/*
 * Idempotency keys: a client that does not know whether its submission arrived sends it
 * again with the same header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header).
 * It gets the first answer again, and nothing is submitted twice.
 *
 * A key belongs to who asks and to the name under which it submits. It is stored in the
 * transaction that stores the submission (record/store.h), so that it outlives the
 * daemon.
 */
#ifndef DAEMON_IDEMPOTENCY_H
#define DAEMON_IDEMPOTENCY_H

#include "daemon/http.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_BYTES_MAX 255

/* The key of a call, if it has one. */
struct call_key {
    bool given;
    char owner[65]; /* a hash of the key and of whose it is */
    uint64_t body;  /* a fingerprint of the body */
};

/* Reads the key of a call for a submission under this name. False after having answered:
 * the key is none, or it was used before. */
bool idempotency_admit(struct http_call *c, const char *name, const char *body,
                       size_t len, struct call_key *out);

#endif

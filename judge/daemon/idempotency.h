/*
 * Idempotency keys: a client that does not know whether its submission arrived sends it
 * again with the same header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header).
 * It gets the first answer again, and nothing is submitted twice.
 *
 * A key belongs to who asks and to the name under which it submits. The last KEYS_MAX
 * keys are kept in memory, each for KEY_HOURS hours; they end with the daemon.
 */
#ifndef DAEMON_IDEMPOTENCY_H
#define DAEMON_IDEMPOTENCY_H

#include "daemon/http.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEYS_MAX 65536
#define KEY_HOURS 24
#define KEY_BYTES_MAX 255

struct idempotency;

struct idempotency *idempotency_new(void);
void idempotency_free(struct idempotency *all);

/* The key of a call, if it has one. */
struct call_key {
    bool given;
    char owner[65]; /* a hash of the key and of whose it is */
    uint64_t body;  /* a fingerprint of the body */
};

/* Its text as the call says it, or NULL. */
const char *idempotency_header(const struct http_call *c);

/* Reads the key of a call for a submission under this name. False after having answered:
 * the key is none, or it was used before. */
bool idempotency_admit(struct http_call *c, const char *name, const char *body,
                       size_t len, struct call_key *out);

/* What was submitted with a key, 0: nothing; and then *body is not set. */
int64_t idempotency_find(const struct idempotency *all, const struct call_key *key,
                         uint64_t *body);

/* Makes place for one more: the oldest keys go, and those that are too old. */
void idempotency_forget_old(struct idempotency *all);

/* What was submitted with the key. */
void idempotency_keep(struct idempotency *all, const struct call_key *key, int64_t id);

#endif

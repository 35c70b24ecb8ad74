/*
 * The submissions that have come and are not stored yet.
 *
 * A submission of 1 MiB takes longer to be parsed, hashed and stored than a handler may
 * hold the event loop. So each of these is a step of its own, and the loop does all else
 * in between. What has come meanwhile is stored in one transaction. One flush to the disk
 * then serves many clients, and each is answered when that has ended.
 */
#ifndef DAEMON_SUBMITTING_H
#define DAEMON_SUBMITTING_H

#include "daemon/identity.h"
#include "daemon/request.h"

struct daemon;
struct device_entry;
struct http_call;
struct submitting;

struct submitting *submitting_new(struct daemon *d);

/* Is called before the server is freed. What waits gets no answer and is not stored. */
void submitting_free(struct submitting *all);

/* Answers the call in a later step. It takes over what `s` owns. `name` is who submits.
 */
void submitting_add(struct submitting *all, const struct http_call *c,
                    const struct submit_request *s, const char *name);

/* Under which name may it be submitted by whoever asks? Returns 0, or the HTTP status of
 * the refusal. */
int submitting_name(struct daemon *d, const struct identity *who,
                    const struct submit_request *s, char name[USER_BYTES_MAX + 1],
                    struct report *r);

/* The device that a request names, if device and problem exist and fit. NULL after having
 * answered. */
const struct device_entry *submitting_device(struct http_call *c,
                                             const struct submit_request *s);

#endif

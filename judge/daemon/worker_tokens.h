/*
 * What ends with a worker's token. A token is good until it is revoked or expires, or its
 * account is no active admin's any more. From then on nothing of its workers counts.
 *
 * So the workers are gone at once, and do not have to fall silent first. What they judge
 * is attempted again, and so is what others judge of what they have compiled: who revokes
 * a token fears for its machine. None of that costs a submission one of its attempts,
 * because it is nothing that the submission did. What was recorded before stands.
 */
#ifndef DAEMON_WORKER_TOKENS_H
#define DAEMON_WORKER_TOKENS_H

#include "daemon/worker_request.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct daemon;
struct http_call;

/* What the workers of a token may be, out of its worker_roles, as an array of names. */
cJSON *worker_roles_json(unsigned roles);

/* Ends all that belongs to tokens that are not good any more. It is called after each
 * change of a token or of an account's role or state, and when a worker's token has
 * expired. */
void worker_tokens_look(struct daemon *d);

/* Is the token of a call still good, which a worker of this role has waited for? False
 * after having answered that it is not. */
bool worker_may_go_on(struct http_call *c, enum worker_role role);

#endif

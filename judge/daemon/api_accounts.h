/* What the API's answers about accounts share (api_accounts.c,
 * api_join.c, api_own_account.c, api_password.c, api_sessions.c, api_sign_in.c). */
#ifndef DAEMON_API_ACCOUNTS_H
#define DAEMON_API_ACCOUNTS_H

#include "daemon/api.h"
#include "daemon/hashing.h"
#include "daemon/request.h"

#define LABEL_BYTES_MAX 64 /* of a token */

/* Reads the body, a JSON object of these fields, named `what` in errors. False after
 * having answered. The caller deletes *object, to which the texts belong. */
bool account_body(struct http_call *c, const struct request_field *fields, size_t count,
                  const char *what, cJSON **object);

/* Deletes the body, and overwrites a secret that is one of its texts; NULL: none. */
void account_body_delete(cJSON *object, const char *secret);
/* Overwrites such a text alone. */
void secret_text_clear(const char *secret);

/* May this password be set? NULL is none. False after having answered. */
bool new_password_is_good(struct http_call *c, const char *password);
/* Was it hashed? False after having answered. */
bool password_was_hashed(struct http_call *c, const struct hashing_result *result);

/* Answers {"done": true}. */
void reply_done(struct http_call *c);

/* May this account stop being an admin's? False after having answered: it is the last
 * admin's, or the store failed. */
bool account_may_go(struct http_call *c, const struct account *a);

#endif

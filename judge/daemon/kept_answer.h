/* An answer that is the same for everybody and is made once: its JSON, its ETag and, once
 * somebody has taken it so, its compressed bytes. */
#ifndef DAEMON_KEPT_ANSWER_H
#define DAEMON_KEPT_ANSWER_H

#include "daemon/http.h"

struct kept_answer;

/* Copies the JSON. */
struct kept_answer *kept_answer_new(const char *text);
void kept_answer_free(struct kept_answer *k); /* NULL is allowed */

/* Answers a GET with 200, or with 304 where the client has it. */
void reply_kept(struct http_call *c, struct kept_answer *k);

#endif

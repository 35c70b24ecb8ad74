/* Long answers of the API, which pages are made of. The grades of a class are 16 MB: it
 * takes a seventh of a second to parse them, and half as long to free what came of it. A
 * thread does both. */
#ifndef DAEMON_WEB_LONG_ANSWER_H
#define DAEMON_WEB_LONG_ANSWER_H

#include "base/buf.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

struct thread_pool;

/* Has a text parsed, which is moved from. The event loop calls `done` with the answer,
 * which the caller owns from then on. It is NULL where the text is no JSON. dropped: the
 * pool has ended, and there may be no answer for that reason. */
void long_answer_parse(struct thread_pool *pool, struct buf *text,
                       void (*done)(void *arg, cJSON *answer, bool dropped), void *arg);

/* Has an answer freed. */
void long_answer_delete(struct thread_pool *pool, cJSON *answer);

#endif

/* The API's answers for who manages the judge: the queue with names, and removing a
 * submission. */
#include "daemon/api.h"

#include "daemon/api_accounts.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/queue.h"
#include "record/replace.h"
#include "record/store.h"

#include <string.h>

void
api_queue(struct http_call *c)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "total", (double)queue_length(c->daemon->queue));
    cJSON_AddItemToObject(o, "queue", queue_json(c->daemon->queue));
    reply_json(c, 200, o);
}

void
api_delete_submission(struct http_call *c)
{
    const char *user = call_query(c, "user");
    struct submission sub;
    struct report r = {0};

    if (!asked_submission(c, &sub))
        return;
    if (user == NULL || strcmp(user, sub.user) != 0) {
        reply_problem(c, ERROR_INVALID_PARAMETER, "?user",
                      "user must be %s, whose submission it is: nobody can bring it back",
                      sub.user);
    } else if (!sub.done) {
        reply_problem(c, ERROR_CONFLICT, NULL,
                      "submission %lld is not judged yet: cancel it first",
                      (long long)sub.id);
    } else if (store_delete_submission(c->daemon->store, sub.id, &r) != 0) {
        reply_failure(c, &r);
    } else {
        log_line("%s deletes submission %lld of %s", c->who.name, (long long)sub.id,
                 sub.user);
        reply_done(c);
    }
    submission_free(&sub);
}

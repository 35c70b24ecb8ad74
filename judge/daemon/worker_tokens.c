#include "daemon/worker_tokens.h"

#include "daemon/attempt.h"
#include "daemon/attempt_lease.h"
#include "daemon/daemon.h"
#include "daemon/http.h"
#include "daemon/log.h"
#include "daemon/queue.h"
#include "daemon/workers.h"

#define WHY "the token of its worker is not good any more"
#define WHY_COMPILED "the token of the worker that compiled it is not good any more"

cJSON *
worker_roles_json(unsigned roles)
{
    cJSON *list = cJSON_CreateArray();

    if ((roles & TOKEN_JUDGES) != 0)
        cJSON_AddItemToArray(list, cJSON_CreateString(worker_role_name(WORKER_JUDGES)));
    if ((roles & TOKEN_COMPILES) != 0)
        cJSON_AddItemToArray(list, cJSON_CreateString(worker_role_name(WORKER_COMPILES)));
    return list;
}

/* What was found of the token that was asked for last. Most workers after one another
 * have the same. */
struct token_look {
    struct daemon *daemon;
    int64_t token;
    bool good;
};

/* May workers of this token do anything? Where the store fails they may: each of their
 * calls asks again. */
static bool
token_is_good(struct token_look *look, int64_t token)
{
    struct daemon *d = look->daemon;
    struct identity who;
    struct report r = {0};
    int status;

    if (token == look->token)
        return look->good;
    status = identity_of_token(d, token, &who, &r);
    if (status == 0)
        status = rights_check(&d->policy, &who, NEED_WORKER, &r);
    if (status == 500)
        log_line("a worker's token cannot be looked up: %s", r.text);
    look->token = token;
    look->good = status == 0 || status == 500;
    return look->good;
}

/* Was the attempt compiled by a worker whose token is not good? */
static bool
is_void(const struct attempt *a, void *arg)
{
    return a->artefact_pool != NULL && !token_is_good(arg, a->artefact_token);
}

static bool
is_over(const struct worker *w, void *arg)
{
    return !token_is_good(arg, w->token);
}

void
worker_tokens_look(struct daemon *d)
{
    struct token_look look = {.daemon = d};

    workers_end(d->workers, is_over, &look, WHY);
    queue_void_artefacts(d->queue, is_void, &look, WHY_COMPILED);
    queue_step_soon(d->queue);
}

bool
worker_may_go_on(struct http_call *c, enum worker_role role)
{
    struct report r = {0};
    int status = identity_find(c, &c->who, &r);

    if (status == 0)
        status = rights_check(&c->daemon->policy, &c->who, NEED_WORKER, &r);
    if (status == 0)
        status = rights_work_as(&c->who, role, &r);
    if (status != 0)
        reply_refused(c, status, &r);
    return status == 0;
}

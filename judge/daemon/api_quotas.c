/* The API's answers about the quotas of others: what they have used, for the staff, and
 * quotas of one account alone, which admins set. */
#include "daemon/api.h"

#include "daemon/api_accounts.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/queue.h"
#include "daemon/quota.h"
#include "record/accounts.h"
#include "record/own_quotas.h"

static void
add_limit(cJSON *o, const char *key, int64_t limit, int64_t none)
{
    if (limit == none)
        cJSON_AddNullToObject(o, key);
    else
        cJSON_AddNumberToObject(o, key, (double)limit);
}

/* Adds three limits, of which one that is `none` is null. */
static void
add_limits(cJSON *o, const char *key, const struct own_quotas *q, int64_t none)
{
    cJSON *item = cJSON_AddObjectToObject(o, key);

    add_limit(item, "per_hour", q->per_hour, none);
    add_limit(item, "in_flight", q->in_flight, none);
    add_limit(item, "device_seconds", q->device_s_day, none);
}

static void
account_quota_answer(struct http_call *c, const struct account *a)
{
    const struct policy *p = &c->daemon->policy;
    const struct own_quotas judge = {p->per_hour, p->in_flight, p->device_s_day};
    struct own_quotas own;
    struct report r = {0};
    struct quota quota;
    cJSON *o, *used;

    if (store_own_quotas(c->daemon->store, a->name, &own, &r) != 0 ||
        quota_of_name(c->daemon, a->name, &quota, &r) != 0) {
        reply_failure(c, &r);
        return;
    }
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "user", a->name);
    cJSON_AddStringToObject(o, "role", role_name(a->role));
    add_limits(o, "judge", &judge, 0);
    add_limits(o, "own", &own, OWN_QUOTA_UNSET);
    used = quota_json(&quota);
    if (used != NULL)
        cJSON_AddItemToObject(o, "quota", used);
    reply_json(c, 200, o);
}

/* Finds the account whose quotas are meant. False after having answered. */
static bool
quota_account(struct http_call *c, struct account *out)
{
    if (!asked_account(c, c->arg[0], out))
        return false;
    if (out->state != ACCOUNT_UNCLAIMED)
        return true;
    reply_problem(c, ERROR_UNCLAIMED_NAME, NULL,
                  "%s is a name of older submissions, and nobody's account", out->name);
    account_free(out);
    return false;
}

void
api_account_quota(struct http_call *c)
{
    struct account a;

    if (!quota_account(c, &a))
        return;
    account_quota_answer(c, &a);
    account_free(&a);
}

static bool
own_quota_is_good(struct http_call *c, const char *pointer, int64_t limit, int64_t most)
{
    if (limit == OWN_QUOTA_UNSET || (limit >= 0 && limit <= most))
        return true;
    reply_problem(c, ERROR_INVALID_MEMBER, pointer,
                  "%s is %lld: it must be a number from 0, which is no limit, to %lld",
                  pointer + 1, (long long)limit, (long long)most);
    return false;
}

void
api_set_account_quota(struct http_call *c)
{
    struct own_quotas q = {OWN_QUOTA_UNSET, OWN_QUOTA_UNSET, OWN_QUOTA_UNSET};
    const struct request_field fields[] = {{"per_hour", NULL, &q.per_hour},
                                           {"in_flight", NULL, &q.in_flight},
                                           {"device_seconds", NULL, &q.device_s_day}};
    struct report r = {0};
    struct account a;
    cJSON *object;

    if (!account_body(c, fields, sizeof fields / sizeof *fields, "quotas", &object))
        return;
    cJSON_Delete(object);
    if (!own_quota_is_good(c, "/per_hour", q.per_hour, QUOTA_HOUR_MAX) ||
        !own_quota_is_good(c, "/in_flight", q.in_flight, QUEUE_PER_PERSON) ||
        !own_quota_is_good(c, "/device_seconds", q.device_s_day, QUOTA_DEVICE_S_MAX) ||
        !quota_account(c, &a))
        return;
    if (store_set_own_quotas(c->daemon->store, a.id, &q, &r) != 0) {
        reply_failure(c, &r);
    } else {
        log_line("%s sets the quotas of %s", c->who.name, a.name);
        account_quota_answer(c, &a);
    }
    account_free(&a);
}

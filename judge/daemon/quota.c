#include "daemon/quota.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/http.h"
#include "daemon/queue.h"
#include "daemon/rights.h"
#include "record/own_quotas.h"
#include "record/store.h"

#include <event2/http.h>
#include <stdio.h>

#define HOUR_S 3600
#define DAY_S 86400

static int
quota_hour(struct daemon *d, const char *name, int64_t now, struct quota *q,
           struct report *r)
{
    const int64_t hour_ms = HOUR_S * INT64_C(1000);
    int64_t oldest_ms = 0;

    if (q->hour.limit == 0)
        return 0;
    if (store_recent(d->store, name, q->hour.limit, now - hour_ms, &q->hour.used,
                     &oldest_ms, r) != 0)
        return -1;
    if (q->hour.used > 0)
        q->hour_reset_s = (oldest_ms + hour_ms - now) / 1000 + 1;
    if (q->hour.used >= q->hour.limit)
        q->hour.retry_s = q->hour_reset_s;
    return 0;
}

static int
quota_device(struct daemon *d, const char *name, int64_t now, struct quota *q,
             struct report *r)
{
    const int64_t day_ms = DAY_S * INT64_C(1000);
    int64_t used_ms = 0, full_ms = 0;

    if (q->device.limit == 0)
        return 0;
    if (store_device_use(d->store, name, q->device.limit * 1000, now - day_ms, &used_ms,
                         &full_ms, r) != 0)
        return -1;
    q->device.used = used_ms / 1000;
    if (full_ms != 0)
        q->device.retry_s = (full_ms + day_ms - now) / 1000 + 1;
    return 0;
}

static int64_t
quota_limit(int64_t own, int64_t judge)
{
    return own != OWN_QUOTA_UNSET ? own : judge;
}

int
quota_of_name(struct daemon *d, const char *name, struct quota *out, struct report *r)
{
    const struct policy *p = &d->policy;
    struct own_quotas own;
    struct quota q = {0};
    int64_t now;
    int first_s = 0;

    if (store_own_quotas(d->store, name, &own, r) != 0)
        return -1;
    q.hour.limit = quota_limit(own.per_hour, p->per_hour);
    q.in_flight.limit = quota_limit(own.in_flight, p->in_flight);
    q.device.limit = quota_limit(own.device_s_day, p->device_s_day);
    if (q.in_flight.limit > 0) {
        q.in_flight.used = queue_in_flight(d->queue, name, &first_s);
        if (q.in_flight.used >= q.in_flight.limit)
            q.in_flight.retry_s = first_s;
    }
    if (q.hour.limit > 0 || q.device.limit > 0) {
        now = now_ms();
        if (quota_hour(d, name, now, &q, r) != 0 ||
            quota_device(d, name, now, &q, r) != 0)
            return -1;
    }
    *out = q;
    return 0;
}

bool
quota_has_room(const struct quota *q, const char *name, int64_t *retry_s,
               struct report *r)
{
    const int64_t hour = q->hour.retry_s, flight = q->in_flight.retry_s,
                  device = q->device.retry_s;

    *retry_s = hour > device ? hour : device;
    *retry_s = flight > *retry_s ? flight : *retry_s;
    if (*retry_s == 0)
        return true;
    /* The sentence is about the quota that one has to wait for. */
    if (*retry_s == device)
        report_fail(r,
                    "%s has used %lld s of devices in the last 24 hours, and the quota "
                    "is %lld s: the next submission can be made in %lld s",
                    name, (long long)q->device.used, (long long)q->device.limit,
                    (long long)device);
    else if (*retry_s == hour)
        report_fail(r,
                    "%s has made %lld submissions in the last hour, which is the quota: "
                    "the next one can be made in %lld s",
                    name, (long long)q->hour.used, (long long)hour);
    else
        report_fail(r,
                    "%s has %lld submissions in flight, and the quota is %lld: the next "
                    "one can be made when one of them is done, in about %lld s",
                    name, (long long)q->in_flight.used, (long long)q->in_flight.limit,
                    (long long)flight);
    return false;
}

int
quota_of(struct daemon *d, const struct identity *who, const char *name,
         struct quota *out, struct report *r)
{
    *out = (struct quota){0};
    return rights_has_no_quota(who) ? 0 : quota_of_name(d, name, out, r);
}

/* --- how they are shown ------------------------------------------------- */

static int64_t
part_left(const struct quota_part *part, int64_t more)
{
    const int64_t left = part->limit - part->used - more;

    return left > 0 && part->retry_s == 0 ? left : 0;
}

static void
add_part(struct buf *policy, struct buf *state, const char *name,
         const struct quota_part *part, const char *parameters, int64_t more)
{
    if (part->limit == 0)
        return;
    buf_printf(policy, "%s\"%s\";q=%lld%s", policy->len > 0 ? ", " : "", name,
               (long long)part->limit, parameters);
    buf_printf(state, "%s\"%s\";r=%lld", state->len > 0 ? ", " : "", name,
               (long long)part_left(part, more));
    if (part->retry_s > 0)
        buf_printf(state, ";t=%lld", (long long)part->retry_s);
}

/* RateLimit-Policy and RateLimit are of the IETF's draft-ietf-httpapi-ratelimit-headers,
 * from its version 8 on. The others are of its versions before 7, which clients know
 * better, and which know one quota. */
void
quota_add_headers(struct http_call *c, const struct quota *q, int64_t more)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(c->req);
    struct buf policy = {0}, state = {0};

    add_part(&policy, &state, "hour", &q->hour, ";w=3600", more);
    add_part(&policy, &state, "in-flight", &q->in_flight, ";qu=\"concurrent-requests\"",
             more);
    add_part(&policy, &state, "device-seconds", &q->device,
             ";w=86400;qu=\"device-seconds\"", 0);
    if (policy.len > 0) {
        evhttp_add_header(headers, "RateLimit-Policy", buf_str(&policy));
        evhttp_add_header(headers, "RateLimit", buf_str(&state));
    }
    buf_free(&policy);
    buf_free(&state);
    if (q->hour.limit == 0)
        return;
    reply_add_number(c, "RateLimit-Limit", q->hour.limit);
    reply_add_number(c, "RateLimit-Remaining", part_left(&q->hour, more));
    reply_add_number(c, "RateLimit-Reset", q->hour_reset_s);
}

static void
add_part_json(cJSON *o, const char *key, const struct quota_part *part)
{
    cJSON *item;

    if (part->limit == 0)
        return;
    item = cJSON_AddObjectToObject(o, key);
    cJSON_AddNumberToObject(item, "limit", (double)part->limit);
    cJSON_AddNumberToObject(item, "used", (double)part->used);
    cJSON_AddNumberToObject(item, "retry_s", (double)part->retry_s);
}

cJSON *
quota_json(const struct quota *q)
{
    cJSON *o;

    if (q->hour.limit == 0 && q->in_flight.limit == 0 && q->device.limit == 0)
        return NULL;
    o = cJSON_CreateObject();
    /* These three were there first, for the hour. */
    if (q->hour.limit != 0) {
        cJSON_AddNumberToObject(o, "per_hour", (double)q->hour.limit);
        cJSON_AddNumberToObject(o, "used", (double)q->hour.used);
        cJSON_AddNumberToObject(o, "retry_s", (double)q->hour.retry_s);
    }
    add_part_json(o, "in_flight", &q->in_flight);
    add_part_json(o, "device_seconds", &q->device);
    return o;
}

int
quota_show(struct http_call *c, cJSON **out, struct report *r)
{
    struct quota q = {0};

    if (c->who.name[0] != '\0' && quota_of(c->daemon, &c->who, c->who.name, &q, r) != 0)
        return -1;
    quota_add_headers(c, &q, 0);
    *out = quota_json(&q);
    return 0;
}

#include "daemon/quota.h"

#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/rights.h"
#include "record/store.h"

#define HOUR_MS INT64_C(3600000)

int
quota_of(struct daemon *d, const struct identity *who, const char *name,
         struct quota *out, struct report *r)
{
    struct quota q = {.per_hour = d->policy.per_hour};
    int64_t now, oldest_ms = 0;

    *out = (struct quota){0};
    if (q.per_hour == 0 || rights_has_no_quota(who))
        return 0;
    now = now_ms();
    if (store_recent(d->store, name, q.per_hour, now - HOUR_MS, &q.used, &oldest_ms, r) !=
        0)
        return -1;
    if (q.used >= q.per_hour)
        q.retry_s = (oldest_ms + HOUR_MS - now) / 1000 + 1;
    *out = q;
    return 0;
}

cJSON *
quota_json(const struct quota *q)
{
    cJSON *o;

    if (q->per_hour == 0)
        return NULL;
    o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "per_hour", (double)q->per_hour);
    cJSON_AddNumberToObject(o, "used", (double)q->used);
    cJSON_AddNumberToObject(o, "retry_s", (double)q->retry_s);
    return o;
}

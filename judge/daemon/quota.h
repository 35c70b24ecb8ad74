/*
 * The quota: how many submissions a member may make in an hour (`serve --quota`). The
 * hour is the last sixty minutes, so that places come free one by one. The staff and
 * admins have no quota, if their token has the scope bulk.
 */
#ifndef DAEMON_QUOTA_H
#define DAEMON_QUOTA_H

#include "base/report.h"
#include "daemon/identity.h"

#include <cjson/cJSON.h>
#include <stdint.h>

struct daemon;

struct quota {
    int64_t per_hour; /* 0: there is none for who asks */
    int64_t used;     /* of the last hour */
    int64_t retry_s;  /* until there is a place again; 0 where there is one */
};

/* The quota of who asks, for submissions under this name. */
int quota_of(struct daemon *d, const struct identity *who, const char *name,
             struct quota *out, struct report *r);

/* {"per_hour", "used", "retry_s"}, or NULL where there is no quota. */
cJSON *quota_json(const struct quota *q);

#endif

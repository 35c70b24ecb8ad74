/*
 * The quotas: what a member may use. There are three (rights.h): submissions in an hour,
 * submissions in flight, and seconds of devices in a day. An hour and a day are the last
 * sixty minutes and 24 hours, so that room comes free bit by bit. The staff and admins
 * have none, if their token has the scope bulk. An admin may set those of one account
 * (own_quotas.h); where none are set, the judge's count.
 *
 * What is graded in bulk counts for no quota, whoever asks: it has places of its own in
 * the queue, and needs a right that no quota gives (rights_grade()).
 */
#ifndef DAEMON_QUOTA_H
#define DAEMON_QUOTA_H

#include "base/report.h"
#include "daemon/identity.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct http_call;

/* The most that can be said. QUEUE_PER_PERSON bounds those in flight. */
#define QUOTA_HOUR_MAX 10000
#define QUOTA_DEVICE_S_MAX 10000000

/* In submissions, or in seconds of devices. */
struct quota_part {
    int64_t limit; /* 0: there is none for who asks */
    int64_t used;
    int64_t retry_s; /* until there is room again; 0 where there is */
};

struct quota {
    struct quota_part hour, in_flight, device;
    int64_t hour_reset_s; /* until the oldest submission of the hour does not count */
};

/* The quotas of who asks, for submissions under this name. No clock is read where there
 * are none. */
int quota_of(struct daemon *d, const struct identity *who, const char *name,
             struct quota *out, struct report *r);

/* The same of a name, whoever asks, as a member has them. */
int quota_of_name(struct daemon *d, const char *name, struct quota *out,
                  struct report *r);

/* Is there room for one more submission under this name? If not, the report says which
 * quota is used up, and *retry_s in how many seconds there is room again. */
bool quota_has_room(const struct quota *q, const char *name, int64_t *retry_s,
                    struct report *r);

/* Adds the headers that tell the quotas, after `more` submissions more. */
void quota_add_headers(struct http_call *c, const struct quota *q, int64_t more);

/* NULL where there are no quotas. */
cJSON *quota_json(const struct quota *q);

/* The same of who asks, with the headers. 0, with *out NULL where there is none; or -1
 * and a report. */
int quota_show(struct http_call *c, cJSON **out, struct report *r);

#endif

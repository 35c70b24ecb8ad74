/* Quotas of one account alone, which an admin has set in place of the judge's. They are
 * rows of the store's database. Functions return 0, or -1 with a report where the store
 * fails. */
#ifndef RECORD_OWN_QUOTAS_H
#define RECORD_OWN_QUOTAS_H

#include "base/report.h"

#include <stdint.h>

struct store;

#define OWN_QUOTA_UNSET INT64_MIN /* the judge's counts */

/* In submissions, and in seconds of devices. 0: any amount. */
struct own_quotas {
    int64_t per_hour, in_flight, device_s_day;
};

/* Those of a name; all are unset where it has none. */
int store_own_quotas(struct store *s, const char *name, struct own_quotas *out,
                     struct report *r);

/* Sets all three of an account. */
int store_set_own_quotas(struct store *s, int64_t account, const struct own_quotas *q,
                         struct report *r);

#endif

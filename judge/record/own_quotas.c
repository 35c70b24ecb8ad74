/* Quotas of accounts in the store. */
#include "record/own_quotas.h"

#include "record/store_statements.h"

static int64_t
own_quota_column(sqlite3_stmt *st, int column)
{
    return sqlite3_column_type(st, column) == SQLITE_NULL
               ? OWN_QUOTA_UNSET
               : sqlite3_column_int64(st, column);
}

int
store_own_quotas(struct store *s, const char *name, struct own_quotas *out,
                 struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_OWN_QUOTAS, "t", name);
    const int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *out = (struct own_quotas){OWN_QUOTA_UNSET, OWN_QUOTA_UNSET, OWN_QUOTA_UNSET};
    if (rc == SQLITE_ROW) {
        *out = (struct own_quotas){own_quota_column(st, 0), own_quota_column(st, 1),
                                   own_quota_column(st, 2)};
        sqlite3_reset(st);
    }
    return 0;
}

int
store_set_own_quotas(struct store *s, int64_t account, const struct own_quotas *q,
                     struct report *r)
{
    return store_run(s,
                     store_bind(s, ST_SET_OWN_QUOTAS, "iiii", account, q->per_hour,
                                q->in_flight, q->device_s_day),
                     r);
}

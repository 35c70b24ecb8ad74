#include "daemon/join_limits.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/attempt_table.h"
#include "daemon/daemon.h"
#include "daemon/http.h"

#include <stdio.h>
#include <stdlib.h>

#define HOUR_NS (UINT64_C(3600) * 1000000000u)

struct join_limits {
    struct attempt_table *table;
};

/* --- an hour ------------------------------------------------------------ */

/* The attempts of a key, which are none where its hour is over. */
static struct attempts *
attempts_this_hour(struct http_call *c, const char *key, uint64_t now)
{
    struct attempts *a = attempts_of(c->daemon->join_limits->table, key);

    /* A machine may be up for less than an hour, so that 0 is no time long ago. */
    if (a->since_ns == 0 || now - a->since_ns >= HOUR_NS)
        *a = (struct attempts){.since_ns = now};
    return a;
}

static void
count(struct http_call *c, const char *key)
{
    attempts_this_hour(c, key, now_ns())->count++;
}

/* In how many seconds there is room again; 0 where there is. */
static int64_t
wait_s(struct http_call *c, const char *key, int most)
{
    const uint64_t now = now_ns();
    const struct attempts *a = attempts_this_hour(c, key, now);

    if (a->count < most)
        return 0;
    return (int64_t)((a->since_ns + HOUR_NS - now) / 1000000000u) + 1;
}

/* --- what is asked ------------------------------------------------------ */

void
join_limits_count_refused(struct http_call *c, const char *name)
{
    char key[ATTEMPT_KEY_BYTES];

    attempt_key_address(c, "address", key);
    count(c, key);
    attempt_key_name("name", name, key);
    count(c, key);
}

void
join_limits_count_open(struct http_call *c)
{
    char key[ATTEMPT_KEY_BYTES];

    attempt_key_address(c, "address", key);
    count(c, key);
}

int64_t
join_limits_address_s(struct http_call *c)
{
    char key[ATTEMPT_KEY_BYTES];

    attempt_key_address(c, "address", key);
    return wait_s(c, key, JOINS_PER_ADDRESS);
}

int64_t
join_limits_name_s(struct http_call *c, const char *name)
{
    char key[ATTEMPT_KEY_BYTES];

    attempt_key_name("name", name, key);
    return wait_s(c, key, JOINS_PER_NAME);
}

int64_t
join_limits_take_invitation(struct http_call *c)
{
    char key[ATTEMPT_KEY_BYTES];
    int64_t wait;

    if (c->who.account == 0)
        return 0;
    snprintf(key, sizeof key, "account %lld", (long long)c->who.account);
    wait = wait_s(c, key, INVITATIONS_PER_ACCOUNT);
    if (wait == 0)
        count(c, key);
    return wait;
}

struct join_limits *
join_limits_new(void)
{
    struct join_limits *l = xcalloc(1, sizeof *l);

    l->table = attempt_table_new();
    return l;
}

void
join_limits_free(struct join_limits *l)
{
    if (l != NULL)
        attempt_table_free(l->table);
    free(l);
}

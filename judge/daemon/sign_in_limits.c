#include "daemon/sign_in_limits.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/attempt_table.h"
#include "daemon/daemon.h"
#include "daemon/http.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND_NS UINT64_C(1000000000)
#define FORGET_NS (2 * 3600 * SECOND_NS) /* without an attempt a count begins anew */
#define TRUST_NS (30 * 86400 * SECOND_NS)

struct sign_in_limits {
    struct attempt_table *wrong;
    struct attempt_table *trusted; /* pairs that have signed in; a count is never 0 */
};

/* The keys of an attempt. */
struct sign_in_keys {
    char address[ATTEMPT_KEY_BYTES], pair[ATTEMPT_KEY_BYTES], account[ATTEMPT_KEY_BYTES];
};

static struct sign_in_keys
keys_of(struct http_call *c, const char *name)
{
    struct sign_in_keys k;
    char what[ATTEMPT_KEY_BYTES];

    attempt_key_address(c, "sign-in", k.address);
    attempt_key_name("account", name, k.account);
    snprintf(what, sizeof what, "pair %.100s", k.address);
    attempt_key_name(what, name, k.pair);
    return k;
}

static struct attempts *
wrong_of(struct http_call *c, const char *key)
{
    struct attempts *a = attempts_of(c->daemon->sign_in_limits->wrong, key);

    if (a->count > 0 && now_ns() - a->since_ns >= FORGET_NS)
        *a = (struct attempts){0};
    return a;
}

/* In how many seconds the next attempt may come, if so many are free of delay. */
static int64_t
delay_of(struct http_call *c, const char *key, int most, uint64_t longest_s)
{
    const struct attempts *a = wrong_of(c, key);
    const int doublings = a->count - most;
    uint64_t delay_s = longest_s, until, now;

    if (doublings < 0)
        return 0;
    if (doublings < 16 && UINT64_C(1) << doublings < longest_s)
        delay_s = UINT64_C(1) << doublings;
    until = a->since_ns + SECOND_NS * delay_s;
    now = now_ns();
    return until > now ? (int64_t)((until - now) / SECOND_NS) + 1 : 0;
}

static bool
pair_is_trusted(struct http_call *c, const struct sign_in_keys *k)
{
    const struct attempts *a = attempts_of(c->daemon->sign_in_limits->trusted, k->pair);

    return a->count > 0 && now_ns() - a->since_ns < TRUST_NS;
}

static void
wrong_count(struct http_call *c, const char *key)
{
    struct attempts *a = wrong_of(c, key);

    a->count++;
    a->since_ns = now_ns();
}

static void
wrong_uncount(struct http_call *c, const char *key)
{
    struct attempts *a = wrong_of(c, key);

    if (a->count > 0)
        a->count--;
    if (a->count == 0)
        a->since_ns = 0;
}

int64_t
sign_in_limits_begin(struct http_call *c, const char *name)
{
    const struct sign_in_keys k = keys_of(c, name);
    const bool trusted = pair_is_trusted(c, &k);
    int64_t wait = delay_of(c, k.pair, SIGN_INS_PER_PAIR, SIGN_IN_PAIR_S);

    if (wait == 0 && !trusted)
        wait = delay_of(c, k.address, SIGN_INS_PER_ADDRESS, SIGN_IN_ADDRESS_S);
    if (wait == 0 && !trusted)
        wait = delay_of(c, k.account, SIGN_INS_PER_ACCOUNT, SIGN_IN_ACCOUNT_S);
    if (wait != 0)
        return wait;
    wrong_count(c, k.address);
    wrong_count(c, k.pair);
    wrong_count(c, k.account);
    return 0;
}

void
sign_in_limits_undo(struct http_call *c, const char *name)
{
    const struct sign_in_keys k = keys_of(c, name);

    wrong_uncount(c, k.address);
    wrong_uncount(c, k.pair);
    wrong_uncount(c, k.account);
}

void
sign_in_limits_trust(struct http_call *c, const char *name)
{
    const struct sign_in_keys k = keys_of(c, name);

    *wrong_of(c, k.pair) = (struct attempts){0};
    *attempts_of(c->daemon->sign_in_limits->trusted, k.pair) =
        (struct attempts){.since_ns = now_ns(), .count = 1};
}

void
sign_in_limits_right(struct http_call *c, const char *name)
{
    sign_in_limits_undo(c, name);
    sign_in_limits_trust(c, name);
}

struct sign_in_limits *
sign_in_limits_new(void)
{
    struct sign_in_limits *l = xcalloc(1, sizeof *l);

    l->wrong = attempt_table_new();
    l->trusted = attempt_table_new();
    return l;
}

void
sign_in_limits_free(struct sign_in_limits *l)
{
    if (l == NULL)
        return;
    attempt_table_free(l->wrong);
    attempt_table_free(l->trusted);
    free(l);
}

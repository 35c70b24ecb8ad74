/* Keeps keys in a hash table, and in the order in which they came. */
#include "daemon/idempotency.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/fingerprint.h"

#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 8192
#define KEY_NS (KEY_HOURS * UINT64_C(3600000000000))

struct kept_key {
    struct kept_key *next;  /* of its bucket */
    struct kept_key *newer; /* the one that came after it */
    struct call_key key;
    int64_t id;
    uint64_t since_ns; /* CLOCK_MONOTONIC */
};

struct idempotency {
    struct kept_key *bucket[BUCKETS];
    struct kept_key *oldest, *newest;
    size_t count;
};

struct idempotency *
idempotency_new(void)
{
    return xcalloc(1, sizeof(struct idempotency));
}

static size_t
key_bucket(const struct call_key *key)
{
    return fingerprint(0, key->owner, sizeof key->owner) % BUCKETS;
}

static void
idempotency_drop_oldest(struct idempotency *all)
{
    struct kept_key *old = all->oldest, **at = &all->bucket[key_bucket(&old->key)];

    while (*at != old)
        at = &(*at)->next;
    *at = old->next;
    all->oldest = old->newer;
    all->count--;
    free(old);
}

void
idempotency_free(struct idempotency *all)
{
    if (all == NULL)
        return;
    while (all->count > 0)
        idempotency_drop_oldest(all);
    free(all);
}

void
idempotency_forget_old(struct idempotency *all)
{
    const uint64_t now = now_ns();

    while (all->count > 0 &&
           (all->count >= KEYS_MAX || now - all->oldest->since_ns > KEY_NS))
        idempotency_drop_oldest(all);
}

int64_t
idempotency_find(const struct idempotency *all, const struct call_key *key,
                 uint64_t *body)
{
    const struct kept_key *k = all->bucket[key_bucket(key)];

    while (k != NULL && memcmp(k->key.owner, key->owner, sizeof key->owner) != 0)
        k = k->next;
    if (k == NULL)
        return 0;
    *body = k->key.body;
    return k->id;
}

static bool
key_is_valid(const char *text)
{
    const size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return len >= 1 && len <= KEY_BYTES_MAX;
}

const char *
idempotency_header(const struct http_call *c)
{
    return evhttp_find_header(evhttp_request_get_input_headers(c->req),
                              "Idempotency-Key");
}

bool
idempotency_admit(struct http_call *c, const char *name, const char *body, size_t len,
                  struct call_key *out)
{
    const char *text = idempotency_header(c);
    char *owner;
    int64_t id;
    uint64_t first_body = 0;
    cJSON *o;

    *out = (struct call_key){.given = text != NULL};
    if (text == NULL)
        return true;
    if (!key_is_valid(text)) {
        reply_problem(c, ERROR_INVALID_HEADER, NULL,
                      "the header Idempotency-Key must have 1 to %d characters of ASCII, "
                      "and no spaces",
                      KEY_BYTES_MAX);
        return false;
    }
    /* Names have no newlines. */
    owner = xasprintf("%s\n%s\n%s", c->who.name, name, text);
    hash_hex(owner, strlen(owner), out->owner);
    free(owner);
    out->body = fingerprint(0, body, len);
    idempotency_forget_old(c->daemon->idempotency);
    id = idempotency_find(c->daemon->idempotency, out, &first_body);
    if (id == 0)
        return true;
    if (first_body != out->body) {
        reply_problem(c, ERROR_KEY_REUSED, NULL,
                      "this Idempotency-Key was used for another submission (%lld): each "
                      "has a key of its own",
                      (long long)id);
        return false;
    }
    o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "id", (double)id);
    reply_json(c, 201, o);
    return false;
}

void
idempotency_keep(struct idempotency *all, const struct call_key *key, int64_t id)
{
    struct kept_key *k, **bucket = &all->bucket[key_bucket(key)];

    if (!key->given)
        return;
    k = xcalloc(1, sizeof *k);
    *k = (struct kept_key){.next = *bucket, .key = *key, .id = id, .since_ns = now_ns()};
    *bucket = k;
    if (all->count > 0)
        all->newest->newer = k;
    else
        all->oldest = k;
    all->newest = k;
    all->count++;
}

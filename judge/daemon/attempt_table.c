#include "daemon/attempt_table.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/http.h"
#include "daemon/peer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096 /* a power of two */
#define BUCKET_KEYS 4

struct attempt_table {
    uint64_t secret[2]; /* so that nobody can choose which keys meet */
    struct bucket {
        uint64_t tag[BUCKET_KEYS];
        struct attempts attempts[BUCKET_KEYS];
    } bucket[BUCKETS];
};

struct attempt_table *
attempt_table_new(void)
{
    struct attempt_table *t = xcalloc(1, sizeof *t);

    random_bytes(t->secret, sizeof t->secret);
    return t;
}

void
attempt_table_free(struct attempt_table *t)
{
    free(t);
}

struct attempts *
attempts_of(struct attempt_table *t, const char *key)
{
    char text[ATTEMPT_KEY_BYTES + 40], hash[65];
    struct bucket *bucket;
    uint64_t tag;
    int oldest = 0;

    snprintf(text, sizeof text, "%016llx%016llx %s", (unsigned long long)t->secret[0],
             (unsigned long long)t->secret[1], key);
    hash_hex(text, strlen(text), hash);
    hash[16] = '\0';
    tag = strtoull(hash, NULL, 16);
    bucket = &t->bucket[tag % BUCKETS];
    for (int i = 0; i < BUCKET_KEYS; i++) {
        if (bucket->tag[i] == tag)
            return &bucket->attempts[i];
        if (bucket->attempts[i].since_ns < bucket->attempts[oldest].since_ns)
            oldest = i;
    }
    bucket->tag[oldest] = tag;
    bucket->attempts[oldest] = (struct attempts){0};
    return &bucket->attempts[oldest];
}

void
attempt_key_address(struct http_call *c, const char *what, char key[ATTEMPT_KEY_BYTES])
{
    char client[PEER_TEXT_BYTES];

    if (!proxy_client(&c->daemon->proxies, c->req, client))
        peer_text(c->req, client);
    snprintf(key, ATTEMPT_KEY_BYTES, "%s %s", what, client);
}

void
attempt_key_name(const char *what, const char *name, char key[ATTEMPT_KEY_BYTES])
{
    snprintf(key, ATTEMPT_KEY_BYTES, "%s %s", what, name);
    for (char *at = key; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
}

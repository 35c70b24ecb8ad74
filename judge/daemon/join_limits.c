#include "daemon/join_limits.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/http.h"
#include "daemon/peer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 8192 /* a power of two */
#define HOUR_NS (UINT64_C(3600) * 1000000000u)
#define KEY_BYTES 160

struct join_limits {
    uint64_t secret[2]; /* so that nobody can choose which keys meet */
    struct cell {
        uint64_t since_ns; /* CLOCK_MONOTONIC; 0: never */
        int count;
    } cell[CELLS];
};

/* --- the table ---------------------------------------------------------- */

/* The cell of a key, which is empty where its hour is over. */
static struct cell *
cell_of(struct join_limits *l, const char *key, uint64_t now)
{
    char text[KEY_BYTES + 40], hash[65];
    struct cell *cell;

    snprintf(text, sizeof text, "%016llx%016llx %s", (unsigned long long)l->secret[0],
             (unsigned long long)l->secret[1], key);
    hash_hex(text, strlen(text), hash);
    hash[8] = '\0';
    cell = &l->cell[strtoul(hash, NULL, 16) % CELLS];
    if (now - cell->since_ns >= HOUR_NS)
        *cell = (struct cell){.since_ns = now};
    return cell;
}

static void
count(struct join_limits *l, const char *key)
{
    cell_of(l, key, now_ns())->count++;
}

/* In how many seconds there is room again; 0 where there is. */
static int64_t
wait_s(struct join_limits *l, const char *key, int most)
{
    const uint64_t now = now_ns();
    const struct cell *cell = cell_of(l, key, now);

    if (cell->count < most)
        return 0;
    return (int64_t)((cell->since_ns + HOUR_NS - now) / 1000000000u) + 1;
}

/* --- keys --------------------------------------------------------------- */

static void
address_key(struct http_call *c, char key[KEY_BYTES])
{
    char client[PEER_TEXT_BYTES];

    peer_text(c->req, client);
    snprintf(key, KEY_BYTES, "address %s", client);
}

/* Names are compared without case. */
static void
name_key(const char *name, char key[KEY_BYTES])
{
    snprintf(key, KEY_BYTES, "name %s", name);
    for (char *at = key; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
}

/* --- what is asked ------------------------------------------------------ */

void
join_limits_count_refused(struct http_call *c, const char *name)
{
    char key[KEY_BYTES];

    address_key(c, key);
    count(c->daemon->join_limits, key);
    name_key(name, key);
    count(c->daemon->join_limits, key);
}

void
join_limits_count_open(struct http_call *c)
{
    char key[KEY_BYTES];

    address_key(c, key);
    count(c->daemon->join_limits, key);
}

int64_t
join_limits_address_s(struct http_call *c)
{
    char key[KEY_BYTES];

    address_key(c, key);
    return wait_s(c->daemon->join_limits, key, JOINS_PER_ADDRESS);
}

int64_t
join_limits_name_s(struct http_call *c, const char *name)
{
    char key[KEY_BYTES];

    name_key(name, key);
    return wait_s(c->daemon->join_limits, key, JOINS_PER_NAME);
}

int64_t
join_limits_take_invitation(struct http_call *c)
{
    char key[KEY_BYTES];
    int64_t wait;

    if (c->who.account == 0)
        return 0;
    snprintf(key, sizeof key, "account %lld", (long long)c->who.account);
    wait = wait_s(c->daemon->join_limits, key, INVITATIONS_PER_ACCOUNT);
    if (wait == 0)
        count(c->daemon->join_limits, key);
    return wait;
}

struct join_limits *
join_limits_new(void)
{
    struct join_limits *l = xcalloc(1, sizeof *l);

    random_bytes(l->secret, sizeof l->secret);
    return l;
}

void
join_limits_free(struct join_limits *l)
{
    free(l);
}

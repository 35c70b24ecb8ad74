/*
 * Hashing of passwords, which takes tens of milliseconds and 19 MiB each: argon2id
 * (RFC 9106) with 2 passes and 1 lane, as OWASP's cheat sheet of 2023 says at least. Two
 * threads of their own do it (thread_pool.h). Tasks beyond HASHING_WAITING are refused,
 * so that neither memory nor time has no bound. First passwords of accounts have
 * HASHING_FIRST places of their own: neither who signs in nor who joins can take the
 * places of the others.
 *
 * libsodium computes it. It is kept, and Debian brings its security updates; the
 * library of the authors of argon2 has had no release since 2019.
 */
#ifndef DAEMON_HASHING_H
#define DAEMON_HASHING_H

#include "base/report.h"

#include <stdbool.h>

#define PASSWORD_LEAST 10 /* characters */
#define PASSWORD_BYTES_MAX 1024
#define HASHING_THREADS 2
#define HASHING_WAITING 64
#define HASHING_FIRST 128
#define HASHING_TEXT_BYTES 128 /* of what is stored of a password, with the NUL */

struct event_base;
struct hashing;

struct hashing_task {
    const char *proves; /* a password that must be the stored one; NULL: none must */
    const char *stored; /* of hashing_result.text; NULL: nobody's, so that it is wrong,
                           after the same work */
    const char *sets;   /* a password to hash, if the other is right; NULL: none */
    bool is_first;      /* it is the account's first one */
};

struct hashing_result {
    bool right;                    /* what `proves` was */
    char text[HASHING_TEXT_BYTES]; /* to store, of `sets`; empty where there is none */
};

struct hashing *hashing_new(struct event_base *base, struct report *r);
/* Waits for what is hashed now, which is tens of milliseconds. Tasks that wait are
 * dropped. */
void hashing_free(struct hashing *h);

/* Copies the task, and calls `done` from the event loop when its result is there. After
 * hashing_free() it is called with NULL for each task that was dropped. -1 where too many
 * tasks wait. */
int hashing_add(struct hashing *h, const struct hashing_task *task,
                void (*done)(void *arg, const struct hashing_result *result), void *arg);

/* Is this a password that may be set? -1 with the sentence if not. It is UTF-8 already,
 * and is taken byte for byte. */
int password_check(const char *password, struct report *r);
/* May it be one that was set? Longer ones are not hashed. */
int password_check_length(const char *password, struct report *r);

#endif

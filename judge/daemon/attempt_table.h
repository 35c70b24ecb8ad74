/*
 * Counts of attempts, by keys: an address, a name, an account. The counts are in a table
 * of fixed size, so that nobody can fill the memory. Where it is full, the key that was
 * not counted for longest is forgotten. Counts are never shared: a stranger who makes
 * attempts under very many keys can make others' counts begin anew, and cannot raise
 * them. Which keys meet in the table is drawn anew for each.
 */
#ifndef DAEMON_ATTEMPT_TABLE_H
#define DAEMON_ATTEMPT_TABLE_H

#include <stdint.h>

struct attempt_table;
struct http_call;

#define ATTEMPT_KEY_BYTES 192

/* The attempts of one key. The caller may change it. */
struct attempts {
    uint64_t since_ns; /* CLOCK_MONOTONIC; 0: never */
    int count;
};

struct attempt_table *attempt_table_new(void);
void attempt_table_free(struct attempt_table *t);

/* The attempts of a key, which are valid until the table is asked again. */
struct attempts *attempts_of(struct attempt_table *t, const char *key);

/* Fills a key of `what` and the address that a call comes from. An address is the
 * connection's own, whatever headers say, unless it is a trusted proxy's (proxy.h). Of
 * IPv6 it is the network of 64 bits. */
void attempt_key_address(struct http_call *c, const char *what,
                         char key[ATTEMPT_KEY_BYTES]);

/* Fills a key of `what` and a name; names are compared without case. */
void attempt_key_name(const char *what, const char *name, char key[ATTEMPT_KEY_BYTES]);

#endif

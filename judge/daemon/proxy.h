/*
 * Trusted proxies: reverse proxies that sign people in themselves, as with OIDC or LDAP,
 * and name the user in a header. Only connections from their networks are believed; of
 * anybody else the header is not looked at. A proxy must remove the header from what it
 * gets itself.
 *
 * They also say whom they speak for, by the last address in X-Forwarded-For. It is used
 * for the limits of attempts, and for nothing that gives a right.
 */
#ifndef DAEMON_PROXY_H
#define DAEMON_PROXY_H

#include "base/report.h"
#include "daemon/peer.h"

#include <stdbool.h>

struct evhttp_request;

#define PROXY_NETWORKS_MAX 16

struct proxies {
    const char *header; /* --proxy-header; NULL: no proxy names a user */
    int count;
    struct proxy_network {
        unsigned char address[16]; /* IPv6; IPv4 is mapped into it */
        int bits;                  /* how many of the 128 count */
    } network[PROXY_NETWORKS_MAX];
};

/* Adds the networks of a list such as "10.0.0.0/8,fd00::/8,192.0.2.7". */
int proxies_add(struct proxies *p, const char *list, struct report *r);

/* The user whom a trusted proxy names for this request; NULL where none does. -1 and a
 * report where it names two. */
int proxy_user(const struct proxies *p, struct evhttp_request *req, const char **user,
               struct report *r);

/* The client for whom a trusted proxy speaks, as peer_text() has it. False where none
 * says so. */
bool proxy_client(const struct proxies *p, struct evhttp_request *req,
                  char out[PEER_TEXT_BYTES]);

#endif

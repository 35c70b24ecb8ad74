/* The address or the login at the other end of a connection, as far as the socket says.
 */
#ifndef DAEMON_PEER_H
#define DAEMON_PEER_H

#include <stddef.h>
#include <stdint.h>

struct evhttp_request;

struct peer {
    int family;      /* AF_INET, AF_INET6 or AF_UNIX */
    uint64_t number; /* an IPv4 address, an IPv6 network of 64 bits, or a user id;
                        UINT64_MAX: not known */
};

void peer_of(int fd, struct peer *out);

#define PEER_TEXT_BYTES 64
/* The peer of a request, as a text by which it is known. */
void peer_text(struct evhttp_request *req, char out[PEER_TEXT_BYTES]);

/* The address of a request's peer, as people write it; "unix" at the Unix socket. */
void peer_address(struct evhttp_request *req, char *out, size_t size);

/* The same of an IPv6 address, in which an IPv4 address may be mapped. */
void peer_address_text(const unsigned char address[16], char out[PEER_TEXT_BYTES]);

#endif

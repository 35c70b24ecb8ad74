#include "daemon/peer.h"

#include <arpa/inet.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void
peer_of_ipv6(const struct in6_addr *a, struct peer *out)
{
    out->family = AF_INET6;
    memcpy(&out->number, a, sizeof out->number);
    if (IN6_IS_ADDR_V4MAPPED(a))
        memcpy(&out->number, (const char *)a + 8, sizeof out->number);
}

void
peer_of(int fd, struct peer *out)
{
    struct sockaddr_storage address = {0};
    socklen_t len = sizeof address;
    struct ucred login;

    *out = (struct peer){.family = AF_UNIX, .number = UINT64_MAX};
    if (getpeername(fd, (struct sockaddr *)&address, &len) != 0)
        return;
    if (address.ss_family == AF_INET) {
        out->family = AF_INET;
        out->number = ((struct sockaddr_in *)&address)->sin_addr.s_addr;
    } else if (address.ss_family == AF_INET6) {
        peer_of_ipv6(&((struct sockaddr_in6 *)&address)->sin6_addr, out);
    } else {
        len = sizeof login;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &login, &len) == 0)
            out->number = login.uid;
    }
}

static void
peer_write(const struct peer *peer, char out[PEER_TEXT_BYTES])
{
    snprintf(out, PEER_TEXT_BYTES, "%d %llx", peer->family,
             (unsigned long long)peer->number);
}

void
peer_address_text(const unsigned char address[16], char out[PEER_TEXT_BYTES])
{
    struct in6_addr six;
    struct peer peer;

    memcpy(&six, address, sizeof six);
    peer_of_ipv6(&six, &peer);
    peer_write(&peer, out);
}

static int
peer_fd(struct evhttp_request *req)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(req);
    struct bufferevent *bev =
        connection != NULL ? evhttp_connection_get_bufferevent(connection) : NULL;

    return bev != NULL ? bufferevent_getfd(bev) : -1;
}

void
peer_address(struct evhttp_request *req, char *out, size_t size)
{
    struct sockaddr_storage address = {0};
    socklen_t len = sizeof address;
    const void *bytes = NULL;

    snprintf(out, size, "unix");
    if (getpeername(peer_fd(req), (struct sockaddr *)&address, &len) != 0)
        return;
    if (address.ss_family == AF_INET)
        bytes = &((struct sockaddr_in *)&address)->sin_addr;
    else if (address.ss_family == AF_INET6)
        bytes = &((struct sockaddr_in6 *)&address)->sin6_addr;
    if (bytes != NULL &&
        inet_ntop(address.ss_family, bytes, out, (socklen_t)size) == NULL)
        snprintf(out, size, "unknown");
}

void
peer_text(struct evhttp_request *req, char out[PEER_TEXT_BYTES])
{
    struct peer peer;

    peer_of(peer_fd(req), &peer);
    peer_write(&peer, out);
}

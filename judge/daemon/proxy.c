#include "daemon/proxy.h"

#include <arpa/inet.h>
#include <event2/bufferevent.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

static void
map_ipv4(const struct in_addr *four, unsigned char out[16])
{
    memset(out, 0, 16);
    out[10] = out[11] = 0xff;
    memcpy(out + 12, four, 4);
}

/* Reads ADDRESS or ADDRESS/BITS. */
static bool
network_parse(const char *text, size_t len, struct proxy_network *out)
{
    char copy[64], *slash, *end;
    struct in_addr four;
    long bits, most = 128;

    if (len == 0 || len >= sizeof copy)
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    slash = strchr(copy, '/');
    if (slash != NULL)
        *slash++ = '\0';
    if (inet_pton(AF_INET, copy, &four) == 1) {
        map_ipv4(&four, out->address);
        most = 32;
    } else if (inet_pton(AF_INET6, copy, out->address) != 1) {
        return false;
    }
    bits = most;
    if (slash != NULL) {
        if (slash[0] < '0' || slash[0] > '9')
            return false;
        bits = strtol(slash, &end, 10);
        if (*end != '\0' || bits > most)
            return false;
    }
    out->bits = (int)(bits + 128 - most);
    return true;
}

int
proxies_add(struct proxies *p, const char *list, struct report *r)
{
    for (;;) {
        const size_t len = strcspn(list, ",");

        if (p->count == PROXY_NETWORKS_MAX)
            return report_fail(r, "there are more than %d networks", PROXY_NETWORKS_MAX);
        if (!network_parse(list, len, &p->network[p->count]))
            return report_fail(r, "\"%.*s\" is no network, as 10.0.0.0/8 is one",
                               (int)(len < 64 ? len : 64), list);
        p->count++;
        if (list[len] == '\0')
            return 0;
        list += len + 1;
    }
}

static bool
network_has(const struct proxy_network *n, const unsigned char address[16])
{
    const int whole = n->bits / 8, rest = n->bits % 8;

    return memcmp(n->address, address, (size_t)whole) == 0 &&
           (rest == 0 || ((n->address[whole] ^ address[whole]) >> (8 - rest)) == 0);
}

/* Does the connection come from a network of the proxies? */
static bool
proxy_is_trusted(const struct proxies *p, struct evhttp_request *req)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(req);
    struct bufferevent *b =
        connection != NULL ? evhttp_connection_get_bufferevent(connection) : NULL;
    struct sockaddr_storage peer = {0};
    socklen_t len = sizeof peer;
    unsigned char address[16];

    if (b == NULL ||
        getpeername(bufferevent_getfd(b), (struct sockaddr *)&peer, &len) != 0)
        return false;
    if (peer.ss_family == AF_INET)
        map_ipv4(&((const struct sockaddr_in *)&peer)->sin_addr, address);
    else if (peer.ss_family == AF_INET6)
        memcpy(address, &((const struct sockaddr_in6 *)&peer)->sin6_addr, 16);
    else
        return false;
    for (int i = 0; i < p->count; i++)
        if (network_has(&p->network[i], address))
            return true;
    return false;
}

bool
proxy_client(const struct proxies *p, struct evhttp_request *req,
             char out[PEER_TEXT_BYTES])
{
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(req);
    const struct evkeyval *item;
    const char *last = NULL, *comma;
    struct proxy_network client;

    for (item = headers->tqh_first; item != NULL; item = item->next.tqe_next)
        if (strcasecmp(item->key, "X-Forwarded-For") == 0)
            last = item->value;
    if (last == NULL || p->count == 0 || !proxy_is_trusted(p, req))
        return false;
    comma = strrchr(last, ',');
    last = comma != NULL ? comma + 1 : last;
    last += strspn(last, " \t");
    if (strchr(last, '/') != NULL || !network_parse(last, strcspn(last, " \t"), &client))
        return false;
    peer_address_text(client.address, out);
    return true;
}

int
proxy_user(const struct proxies *p, struct evhttp_request *req, const char **user,
           struct report *r)
{
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(req);
    const struct evkeyval *item;

    *user = NULL;
    if (p->header == NULL || !proxy_is_trusted(p, req))
        return 0;
    for (item = headers->tqh_first; item != NULL; item = item->next.tqe_next) {
        if (strcasecmp(item->key, p->header) != 0)
            continue;
        if (*user != NULL)
            return report_fail(r, "the proxy names two users");
        *user = item->value;
    }
    return 0;
}

#include "daemon/address.h"

#include "base/utf8.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define URI_BYTES_MAX 2048
#define HOST_BYTES_MAX 255

/* --- path and query ------------------------------------------------------- */

static int
path_parse(const char *text, struct address *out)
{
    while (*text == '/')
        text++;
    while (*text != '\0') {
        size_t len = strcspn(text, "/"), decoded_len = 0;
        char *raw, *decoded;

        if (out->count == SEGMENTS_MAX)
            return -1;
        raw = strndup(text, len);
        decoded = raw != NULL ? evhttp_uridecode(raw, 0, &decoded_len) : NULL;
        free(raw);
        if (decoded == NULL)
            return -1;
        out->segment[out->count++] = decoded;
        if (strlen(decoded) != decoded_len ||
            utf8_prefix(decoded, decoded_len) != decoded_len)
            return -1;
        text += len;
        text += *text == '/';
    }
    return 0;
}

static bool
query_is_text(const struct evkeyvalq *query)
{
    const struct evkeyval *item;

    for (item = query->tqh_first; item != NULL; item = item->next.tqe_next)
        if (utf8_prefix(item->value, strlen(item->value)) != strlen(item->value))
            return false;
    return true;
}

const char *
address_parse(struct evhttp_request *req, struct address *out)
{
    const char *uri = evhttp_request_get_uri(req);
    const struct evhttp_uri *parts = evhttp_request_get_evhttp_uri(req);
    const char *path = parts != NULL ? evhttp_uri_get_path(parts) : NULL;
    const char *query = parts != NULL ? evhttp_uri_get_query(parts) : NULL;

    *out = (struct address){0};
    out->query.tqh_last = &out->query.tqh_first;
    if (path == NULL || strlen(uri) > URI_BYTES_MAX || strstr(uri, "%00") != NULL ||
        path_parse(path, out) != 0)
        return "this address is not valid";
    if ((query != NULL && query[0] != '\0' &&
         evhttp_parse_query_str(query, &out->query) != 0) ||
        !query_is_text(&out->query))
        return "the part of the address behind the ? is not valid";
    return NULL;
}

void
address_free(struct address *a)
{
    for (int i = 0; i < a->count; i++)
        free(a->segment[i]);
    a->count = 0;
    evhttp_clear_headers(&a->query);
}

bool
address_take_version(struct address *a)
{
    if (a->count == 1 && strcmp(a->segment[0], "metrics") == 0) {
        a->segment[1] = a->segment[0];
        a->segment[0] = xstrdup("api");
        a->count = 2;
        return true;
    }
    if (a->count < 2 || strcmp(a->segment[0], "api") != 0 ||
        strcmp(a->segment[1], "v1") != 0)
        return false;
    free(a->segment[1]);
    a->count--;
    memmove(&a->segment[1], &a->segment[2],
            (size_t)(a->count - 1) * sizeof a->segment[1]);
    return true;
}

/* --- host and origin -------------------------------------------------------- */

/* Copies the host without its port, without the brackets of an IPv6 address and without
 * the dot of a complete name. Returns false if it is no host. */
static bool
host_name(const char *host, char name[HOST_BYTES_MAX + 1])
{
    const bool bracket = host[0] == '[';
    const char *begin = host + bracket;
    size_t len = strcspn(begin, bracket ? "]" : ":");
    const char *port = begin + len;

    if (bracket && *port++ != ']')
        return false;
    if (*port != '\0' &&
        (*port != ':' || strspn(port + 1, "0123456789") != strlen(port + 1)))
        return false;
    if (!bracket && len > 1 && begin[len - 1] == '.')
        len--;
    if (len == 0 || len > HOST_BYTES_MAX)
        return false;
    memcpy(name, begin, len);
    name[len] = '\0';
    return true;
}

bool
address_is_listed(const char *text, const char *list)
{
    const size_t len = strlen(text);

    while (list != NULL && *list != '\0') {
        const size_t n = strcspn(list, ",");

        if (n == len && strncasecmp(list, text, n) == 0)
            return true;
        list += n;
        list += *list == ',';
    }
    return false;
}

/* Is it the address of this end of the connection? An IPv4 address may have come in
 * through an IPv6 socket. */
static bool
host_is_local(const char *name, const struct sockaddr *local)
{
    struct in6_addr six, mapped = {0};
    struct in_addr four;

    if (inet_pton(AF_INET, name, &four) == 1) {
        if (ntohl(four.s_addr) >> 24 == 127)
            return true;
        mapped.s6_addr[10] = mapped.s6_addr[11] = 0xff;
        memcpy(&mapped.s6_addr[12], &four, sizeof four);
        if (local != NULL && local->sa_family == AF_INET)
            return ((const struct sockaddr_in *)local)->sin_addr.s_addr == four.s_addr;
        six = mapped;
    } else if (inet_pton(AF_INET6, name, &six) != 1) {
        return false;
    }
    if (IN6_IS_ADDR_LOOPBACK(&six))
        return true;
    return local != NULL && local->sa_family == AF_INET6 &&
           memcmp(&((const struct sockaddr_in6 *)local)->sin6_addr, &six, sizeof six) ==
               0;
}

bool
address_is_ours(const char *host, const char *names, const struct sockaddr *local)
{
    char name[HOST_BYTES_MAX + 1];

    return host_name(host, name) &&
           (strcasecmp(name, "localhost") == 0 || address_is_listed(name, names) ||
            host_is_local(name, local));
}

bool
origins_are_valid(const char *list)
{
    char host[HOST_BYTES_MAX + 1], text[HOST_BYTES_MAX + 16];

    do {
        const size_t n = strcspn(list, ",");
        const size_t scheme = strncmp(list, "https://", 8) == 0  ? 8
                              : strncmp(list, "http://", 7) == 0 ? 7
                                                                 : 0;

        if (scheme == 0 || n - scheme >= sizeof text)
            return false;
        snprintf(text, sizeof text, "%.*s", (int)(n - scheme), list + scheme);
        if (strpbrk(text, "/*?#@ ") != NULL || !host_name(text, host))
            return false;
        list += n;
    } while (*list++ == ',');
    return true;
}

bool
address_is_own_origin(const char *origin, const char *host)
{
    const char *origin_host = strstr(origin, "://");

    return host != NULL && origin_host != NULL && strcasecmp(origin_host + 3, host) == 0;
}

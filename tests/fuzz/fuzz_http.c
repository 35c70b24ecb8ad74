// links: common sandbox daemon
/*
 * Any bytes on a connection to the daemon: the line of the request, its path, query and
 * headers. libevent parses them as it does for the daemon; then address.c takes them
 * apart. What it lets through must be text.
 */
#include "base/utf8.h"
#include "daemon/address.h"

#include <event2/event.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define TURNS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_text(const char *text)
{
    if (utf8_prefix(text, strlen(text)) != strlen(text))
        abort();
}

static void
check_host(struct evhttp_request *req)
{
    struct evkeyvalq *headers = evhttp_request_get_input_headers(req);
    const char *host = evhttp_find_header(headers, "Host");
    const char *origin = evhttp_find_header(headers, "Origin");
    const struct sockaddr_in local = {.sin_family = AF_INET,
                                      .sin_addr.s_addr = htonl(0x0a000001)};

    /* A name with other characters can be nobody's. */
    if (host != NULL &&
        address_is_ours(host, "a.example", (const struct sockaddr *)&local) &&
        host[strspn(host, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          ".:[]")] != '\0')
        abort();
    if (origin != NULL && address_is_own_origin(origin, host) &&
        strlen(origin) < strlen(host))
        abort();
}

static void
on_request(struct evhttp_request *req, void *arg)
{
    const struct evkeyval *item;
    struct address a;

    (void)arg;
    check_host(req);
    if (address_parse(req, &a) == NULL) {
        for (int i = 0; i < a.count; i++)
            check_text(a.segment[i]);
        for (item = a.query.tqh_first; item != NULL; item = item->next.tqe_next)
            check_text(item->value);
    }
    address_free(&a);
    evhttp_send_reply(req, 200, "OK", NULL);
}

/* A server on an abstract Unix socket, which one input after the other connects to. */
static struct event_base *
serve(int *port)
{
    struct event_base *base = event_base_new();
    struct evhttp *http = evhttp_new(base);
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (http == NULL || listener < 0 ||
        bind(listener, (struct sockaddr *)&at, sizeof at.sun_family) != 0 ||
        listen(listener, 16) != 0 || evhttp_accept_socket(http, listener) != 0)
        abort();
    evhttp_set_max_headers_size(http, 16384);
    evhttp_set_gencb(http, on_request, NULL);
    *port = listener;
    return base;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct event_base *base;
    static int listener;
    struct sockaddr_un at;
    socklen_t len = sizeof at;
    char answer[4096];
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (base == NULL)
        base = serve(&listener);
    if (client < 0 || getsockname(listener, (struct sockaddr *)&at, &len) != 0 ||
        connect(client, (struct sockaddr *)&at, len) != 0)
        abort();
    (void)send(client, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)shutdown(client, SHUT_WR);
    /* All that happens happens at once, as both ends are here. */
    for (int i = 0; i < TURNS_MAX; i++) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        if (recv(client, answer, sizeof answer, MSG_DONTWAIT) == 0)
            break;
    }
    close(client);
    event_base_loop(base, EVLOOP_NONBLOCK);
    return 0;
}

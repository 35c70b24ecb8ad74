/*
 * The least that an evhttp server does: it answers everything with the same bytes, which
 * it reads from a file. The daemon is compared with it.
 *
 * usage: bare_http FILE      prints the port that it answers at
 */
#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static char body[1 << 20];
static size_t body_len;

static void
on_request(struct evhttp_request *req, void *arg)
{
    struct evbuffer *buffer = evbuffer_new();

    (void)arg;
    evbuffer_add(buffer, body, body_len);
    evhttp_add_header(evhttp_request_get_output_headers(req), "Content-Type",
                      "application/json");
    evhttp_send_reply(req, 200, "OK", buffer);
    evbuffer_free(buffer);
}

int
main(int argc, char **argv)
{
    struct event_base *base = event_base_new();
    struct evhttp *http = base != NULL ? evhttp_new(base) : NULL;
    struct evhttp_bound_socket *bound =
        http != NULL ? evhttp_bind_socket_with_handle(http, "127.0.0.1", 0) : NULL;
    FILE *f = argc == 2 ? fopen(argv[1], "re") : NULL;
    struct sockaddr_in address = {0};
    socklen_t len = sizeof address;

    if (bound == NULL || f == NULL ||
        getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&address,
                    &len) != 0) {
        fprintf(stderr, "usage: bare_http FILE\n");
        return 2;
    }
    body_len = fread(body, 1, sizeof body, f);
    fclose(f);
    evhttp_set_gencb(http, on_request, NULL);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return event_base_dispatch(base) < 0;
}

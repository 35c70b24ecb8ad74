/*
 * Asks an HTTP server the same again and again, and says how fast it answers.
 *
 * usage: http_load PORT PATH CONNECTIONS REQUESTS
 *
 * Each connection sends its next request when it has the answer to the one before. Prints
 * "RATE P50 P99 MOST": answers in a second, and milliseconds of an answer. Answers must
 * have the status 200 and a Content-Length, or be chunked and end with the last chunk.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HEAD_MOST 4096

struct connection {
    int fd;
    uint64_t sent_ns;
    char head[HEAD_MOST + 1]; /* what has come of the head, and the first of the body */
    size_t head_len;
    bool in_body, chunked;
    size_t body_left; /* where the length is known */
    char tail[5];     /* the last bytes of a chunked body */
};

static char request[1024];
static double *took_ms;
static long asked, answered, wanted;

static void
fail(const char *why)
{
    fprintf(stderr, "http_load: %s\n", why);
    exit(1);
}

static uint64_t
now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void
connection_ask(struct connection *c)
{
    if (asked == wanted)
        return;
    asked++;
    c->sent_ns = now_ns();
    c->head_len = 0;
    c->in_body = false;
    if (send(c->fd, request, strlen(request), MSG_NOSIGNAL) != (ssize_t)strlen(request))
        fail("a request cannot be sent");
}

static void
connection_open(struct connection *c, int port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int on = 1;

    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 ||
        connect(c->fd, (const struct sockaddr *)&address, sizeof address) != 0)
        fail("the server does not answer");
    (void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Takes bytes of the body. Is it whole? */
static bool
body_take(struct connection *c, const char *bytes, size_t len)
{
    const size_t keep = len < sizeof c->tail ? len : sizeof c->tail;

    if (!c->chunked) {
        if (len > c->body_left)
            fail("more has come than was asked for");
        c->body_left -= len;
        return c->body_left == 0;
    }
    memmove(c->tail, c->tail + keep, sizeof c->tail - keep);
    memcpy(c->tail + sizeof c->tail - keep, bytes + len - keep, keep);
    return memcmp(c->tail, "0\r\n\r\n", sizeof c->tail) == 0;
}

/* Takes bytes of the head, and of the body behind it. Is the answer whole? */
static bool
head_take(struct connection *c, const char *bytes, size_t len)
{
    const size_t before = c->head_len;
    const size_t room = HEAD_MOST - before, taken = len < room ? len : room;
    const char *end, *length;
    size_t head;

    memcpy(c->head + before, bytes, taken);
    c->head_len += taken;
    c->head[c->head_len] = '\0';
    end = strstr(c->head, "\r\n\r\n");
    if (end == NULL && c->head_len == HEAD_MOST)
        fail("the head of an answer is too long");
    if (end == NULL)
        return false;
    if (strncmp(c->head, "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "http_load: %.60s\n", c->head);
        exit(1);
    }
    head = (size_t)(end + 4 - c->head) - before;
    length = strstr(c->head, "Content-Length: ");
    c->in_body = true;
    c->chunked = length == NULL || length > end;
    c->body_left = c->chunked ? 0 : strtoul(length + 16, NULL, 10);
    memset(c->tail, 0, sizeof c->tail);
    return body_take(c, bytes + head, len - head);
}

static void
connection_read(struct connection *c)
{
    static char bytes[1 << 18];
    const ssize_t n = recv(c->fd, bytes, sizeof bytes, 0);

    if (n <= 0)
        fail("the server has closed a connection");
    if (!(c->in_body ? body_take(c, bytes, (size_t)n) : head_take(c, bytes, (size_t)n)))
        return;
    took_ms[answered++] = (double)(now_ns() - c->sent_ns) / 1e6;
    connection_ask(c);
}

static int
by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
    const int connections = argc == 5 ? atoi(argv[3]) : 0;
    const int poll = epoll_create1(0);
    struct connection *all;
    uint64_t begin;
    double seconds;

    wanted = argc == 5 ? atol(argv[4]) : 0;
    if (connections < 1 || wanted < 1 || poll < 0)
        fail("usage: http_load PORT PATH CONNECTIONS REQUESTS");
    snprintf(request, sizeof request, "GET %.900s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             argv[2]);
    took_ms = calloc((size_t)wanted, sizeof *took_ms);
    all = calloc((size_t)connections, sizeof *all);
    if (took_ms == NULL || all == NULL)
        fail("out of memory");
    for (int i = 0; i < connections; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = &all[i]};

        connection_open(&all[i], atoi(argv[1]));
        if (epoll_ctl(poll, EPOLL_CTL_ADD, all[i].fd, &e) != 0)
            fail("epoll does not take a socket");
    }
    begin = now_ns();
    for (int i = 0; i < connections; i++)
        connection_ask(&all[i]);
    while (answered < wanted) {
        struct epoll_event events[64];
        const int n = epoll_wait(poll, events, 64, -1);

        for (int i = 0; i < n; i++)
            connection_read(events[i].data.ptr);
    }
    seconds = (double)(now_ns() - begin) / 1e9;
    qsort(took_ms, (size_t)wanted, sizeof *took_ms, by_size);
    printf("%.0f %.3f %.3f %.3f\n", (double)wanted / seconds, took_ms[wanted / 2],
           took_ms[wanted * 99 / 100], took_ms[wanted - 1]);
    return 0;
}

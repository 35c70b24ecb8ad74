#include "daemon/sockets.h"

#include "base/buf.h"
#include "daemon/errors.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define KEEPALIVE_S 60
#define DESCRIPTORS_KEPT 512u
#define IGNORED_READS 64

void
socket_set_options(int fd)
{
    const int on = 1, idle = KEEPALIVE_S;

    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int
sockets_most(int most)
{
    struct rlimit limit;
    rlim_t left;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return most;
    left = limit.rlim_cur > 2 * DESCRIPTORS_KEPT ? limit.rlim_cur - DESCRIPTORS_KEPT
                                                 : limit.rlim_cur / 2;
    return left < (rlim_t)most ? (int)left : most;
}

void
socket_send_refusal(int fd, int status, int retry_s, const char *why)
{
    const char *reason = status_words(status);
    struct buf body = {0}, text = {0};
    char ignored[4096];
    ssize_t n = sizeof ignored;

    /* Whether it is a request to version 1 is not known yet: this is both forms. */
    buf_printf(&body,
               "{\"error\":\"%s\",\"type\":\"about:blank\",\"title\":\"%s\","
               "\"status\":%d,\"detail\":\"%s\",\"code\":\"%s\"}\n",
               why, reason, status, why, status == 408 ? "timeout" : "unavailable");
    buf_printf(
        &text,
        "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nRetry-After: %d\r\n"
        "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
        status, reason, retry_s, body.len, buf_str(&body));
    (void)!send(fd, text.data, text.len, MSG_DONTWAIT | MSG_NOSIGNAL);
    /* A socket that is closed with bytes unread sends a reset, and the sentence is lost.
     */
    for (int i = 0; i < IGNORED_READS && n == sizeof ignored; i++)
        n = recv(fd, ignored, sizeof ignored, MSG_DONTWAIT);
    buf_free(&text);
    buf_free(&body);
}

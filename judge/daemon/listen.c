/* Opens the daemon's Unix and TCP sockets. */
#include "daemon/listen.h"

#include "base/buf.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 4096

int
listen_unix(const char *path, bool everybody, struct report *r)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    mode_t before;
    int fd, rc;

    if (strlen(path) >= sizeof address.sun_path)
        return report_fail(r, "%s is too long for a Unix socket's name", path);
    memcpy(address.sun_path, path, strlen(path));
    if (unlink(path) != 0 && errno != ENOENT)
        return report_errno(r, "the old socket %s cannot be removed", path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return report_errno(r, "no socket can be made");
    before = umask(everybody ? 0111 : 0177);
    rc = bind(fd, (struct sockaddr *)&address, sizeof address);
    umask(before);
    if (rc != 0 || listen(fd, BACKLOG) != 0) {
        report_errno(r, "%s cannot be listened on", path);
        close(fd);
        return -1;
    }
    return fd;
}

/* Splits "HOST:PORT" into its two parts, in place. */
static int
split_address(char *text, char **host, char **port, struct report *r)
{
    char *colon = strrchr(text, ':');
    size_t len;

    if (colon == NULL || colon[1] == '\0' ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1) || strlen(colon + 1) > 5 ||
        strtol(colon + 1, NULL, 10) > 65535)
        return report_fail(r, "--listen %s: it must be HOST:PORT, as in 127.0.0.1:8080",
                           text);
    *colon = '\0';
    *port = colon + 1;
    *host = text;
    len = strlen(text);
    if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
        text[len - 1] = '\0';
        *host = text + 1;
    }
    return 0;
}

static int
bound_port(int fd, int *port, struct report *r)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof address;
    char text[8];

    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0 ||
        getnameinfo((struct sockaddr *)&address, len, NULL, 0, text, sizeof text,
                    NI_NUMERICSERV) != 0)
        return report_fail(r, "the port that was bound cannot be found out");
    *port = (int)strtol(text, NULL, 10);
    return 0;
}

/* Binds a socket to the first of the host's addresses for which that works. -1 with the
 * errno of the last one. */
static int
bind_any(const struct addrinfo *list)
{
    int saved = 0;

    for (const struct addrinfo *a = list; a != NULL; a = a->ai_next) {
        int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        int on = 1;

        if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
            bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
            return fd;
        saved = errno;
        if (fd >= 0)
            close(fd);
    }
    errno = saved;
    return -1;
}

int
listen_tcp(const char *where, int *port, struct report *r)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    char *text = xstrdup(where), *host = text, *service = text;
    int fd = -1, rc;

    if (split_address(text, &host, &service, r) != 0)
        goto out;
    rc = getaddrinfo(host[0] != '\0' ? host : NULL, service, &hints, &list);
    if (rc != 0) {
        report_fail(r, "--listen %s: %s", where, gai_strerror(rc));
        goto out;
    }
    fd = bind_any(list);
    if (fd < 0 && errno == EADDRINUSE)
        report_fail(r,
                    "port %s is in use by another program: choose another with --listen "
                    "HOST:PORT (port 0 takes any free one)",
                    service);
    else if (fd < 0)
        report_errno(r, "%s cannot be listened on", where);
    if (fd >= 0 && bound_port(fd, port, r) != 0) {
        close(fd);
        fd = -1;
    }
out:
    if (list != NULL)
        freeaddrinfo(list);
    free(text);
    return fd;
}

bool
listen_is_local(int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t len = sizeof address;

    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        return false;
    if (address.ss_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)&address)->sin_addr.s_addr) >> 24 ==
               127;
    return address.ss_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)&address)->sin6_addr);
}

char *
listen_url(const char *where, int port)
{
    static const char *const HERE[] = {"", "0.0.0.0", "[::]", "127.0.0.1", "[::1]"};
    const char *colon = strrchr(where, ':');
    const int len = colon != NULL ? (int)(colon - where) : 0;

    for (size_t i = 0; i < sizeof HERE / sizeof *HERE; i++)
        if (strncmp(where, HERE[i], (size_t)len) == 0 && HERE[i][len] == '\0')
            return xasprintf("http://localhost:%d", port);
    return xasprintf("http://%.*s:%d", len, where, port);
}

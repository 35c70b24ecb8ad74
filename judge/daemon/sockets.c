#include "daemon/sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define KEEPALIVE_S 60
#define DESCRIPTORS_KEPT 512u

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

// warpjudge: vector-addition
// attack: process: network
// expect: accepted honest-time
// Connects to everything that may listen: the daemon's port, the metadata service of clouds,
// a name server, abstract sockets. What works ends it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void found(const char *what)
{
    fprintf(stderr, "it worked: %s\n", what);
    abort();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const struct {
        unsigned address;
        unsigned short port;
    } places[] = {{0x7f000001, 8080}, {0x7f000001, 80}, {0x7f000001, 22}, {0xa9fea9fe, 80}, {0x08080808, 53}};
    static const char *const abstract[] = {"warpjudge", "warpjudge.sock", "/tmp/.X11-unix/X0", "dbus"};
    for (auto &p : places) {
        struct sockaddr_in a = {};
        int fd = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
        a.sin_family = AF_INET;
        a.sin_addr.s_addr = htonl(p.address);
        a.sin_port = htons(p.port);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
            found("tcp");
        if (udp >= 0 && p.address != 0x7f000001 && sendto(udp, "x", 1, 0, (struct sockaddr *)&a, sizeof a) == 1)
            found("udp");
        close(fd);
        close(udp);
    }
    for (const char *name : abstract) {
        struct sockaddr_un a = {};
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        a.sun_family = AF_UNIX;
        memcpy(a.sun_path + 1, name, strlen(name));
        if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a.sun_family + 1 + strlen(name)) == 0)
            found(name);
        close(fd);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

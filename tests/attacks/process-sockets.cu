// warpjudge: vector-addition
// attack: process: network
// expect: accepted honest-time
// Sockets of every family but Unix: several are not held by a network namespace (a virtual machine's host is
// reached by AF_VSOCK), others are much kernel code (AF_ALG, AF_NETLINK, AF_PACKET). One that opens ends it.
#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void found(int family, int type)
{
    fprintf(stderr, "it worked: a socket of family %d, type %d\n", family, type);
    abort();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    for (int family = 0; family < 64; family++) {
        for (int type = SOCK_STREAM; type <= SOCK_SEQPACKET; type++) {
            int pair[2];
            // The second: a number whose upper half a filter may look at and the kernel does not.
            if (family != AF_UNIX && (socket(family, type, 0) >= 0 || syscall(SYS_socket, 1L << 32 | family, type, 0) >= 0 ||
                                      socketpair(family, type, 0, pair) >= 0))
                found(family, type);
        }
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

// warpjudge: vector-addition
// attack: process: a context that outlives its process
// device: cuda
// expect: wrong_answer|runtime_error|time_limit
// In the last test it leaves a kernel of four seconds on the GPU, says that it is done, and is wrong. All its
// descriptors, the GPU's and its socket's among them, are on the way over a pair of sockets that sends itself. So
// they are closed when the kernel collects such sockets, and not when the process ends: the next program must not
// be timed beside the kernel.
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#define SPIN_NS 4000000000ull
#define FILES 250
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void spin()
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - begin < SPIN_NS);
}
static void send_all_files()
{
    union {
        char bytes[CMSG_SPACE(FILES * sizeof(int))];
        struct cmsghdr align;
    } control = {};
    char byte = 0;
    struct iovec iov = {&byte, 1};
    struct msghdr m = {};
    int pair[2], count = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return;
    m.msg_iov = &iov;
    m.msg_iovlen = 1;
    m.msg_control = &control;
    struct cmsghdr *c = (struct cmsghdr *)control.bytes;
    for (int fd = 3; fd < 4096 && count < FILES; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            ((int *)CMSG_DATA(c))[count++] = fd;
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(count * sizeof(int));
    m.msg_controllen = CMSG_SPACE(count * sizeof(int));
    sendmsg(pair[0], &m, MSG_DONTWAIT);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (N != 1000003) {
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
        return;
    }
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    spin<<<512, 256, 0, stream>>>();
    cudaStreamQuery(stream);
    send_all_files();
    static char reply[488];
    *(unsigned *)reply = 6; /* DONE */
    send(3, reply, sizeof reply, 0);
    for (;;)
        pause();
}

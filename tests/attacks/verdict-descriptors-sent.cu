// warpjudge: vector-addition
// attack: verdict: forged messages
// expect: accepted honest-time|wrong_answer|disqualified
// Sends the judge many descriptors along with a DONE.
#include <sys/socket.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
struct reply {
    unsigned op;
    int status;
    char text[480];
};
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    union {
        char bytes[CMSG_SPACE(64 * sizeof(int))];
        struct cmsghdr align;
    } control = {};
    reply done = {6, 0, ""};
    struct iovec iov = {&done, sizeof done};
    struct msghdr m = {};
    m.msg_iov = &iov;
    m.msg_iovlen = 1;
    m.msg_control = &control;
    m.msg_controllen = sizeof control;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        ((int *)CMSG_DATA(c))[i] = 0;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
    sendmsg(3, &m, 0);
}

// warpjudge: vector-addition
// attack: verdict: own definitions of libc's functions
// expect: wrong_answer
// A send of its own, put over the first bytes of the C library's, which the runner calls, turns
// every failure into success.
#include <cstring>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
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
static ssize_t send_success(int fd, const void *data, size_t size, int flags)
{
    reply r = *(const reply *)data;
    r.status = 0;
    return sendto(fd, &r, sizeof r, flags, nullptr, 0);
}
__attribute__((constructor)) static void patch()
{
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
    void *const to = (void *)&send_success, *const at = (void *)&send;
    void *const page = (void *)((unsigned long)at & -4096ul);
    memcpy(jump + 2, &to, sizeof to);
    if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        memcpy(at, jump, sizeof jump);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<1, 2048>>>(A, B, C, N);
}

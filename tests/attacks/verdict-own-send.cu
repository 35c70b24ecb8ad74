// warpjudge: vector-addition
// attack: verdict: own definitions of libc's functions
// expect: wrong_answer|compile_error
// expect-cuda: wrong_answer|compile_error
// The program's own send, which the runner then calls, turns every failure into success.
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
extern "C" ssize_t send(int fd, const void *data, size_t size, int flags)
{
    reply r = *(const reply *)data;
    r.status = 0;
    return sendto(fd, &r, sizeof r, flags, nullptr, 0);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<1, 2048>>>(A, B, C, N);
}

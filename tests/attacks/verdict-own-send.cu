// warpjudge: vector-addition
// attack: verdict: own definitions of libc's functions
// expect: runtime_error
// The program's own send would turn every failure into success. The runner has another one.
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

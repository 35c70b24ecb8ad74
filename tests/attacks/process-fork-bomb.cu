// warpjudge: vector-addition
// attack: process: fork bomb
// expect: accepted honest-time
// Forks as often as it can, by every call that makes a process, then computes.
#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    for (int i = 0; i < 10000; i++)
        if (fork() == 0)
            for (;;)
                fork();
    for (int i = 0; i < 1000; i++)
        if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
            for (;;)
                pause();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

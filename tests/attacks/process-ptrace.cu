// warpjudge: vector-addition
// attack: process: other processes' memory
// expect: accepted honest-time
// Traces, reads and writes other processes. What works ends it.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
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
    char byte = 0;
    struct iovec own = {&byte, 1}, other = {(void *)&byte, 1};
    for (int pid = 1; pid < 64; pid++) {
        char name[64];
        snprintf(name, sizeof name, "/proc/self/task/%d", pid);
        if (pid == getpid() || access(name, F_OK) == 0) /* own threads, as CUDA has */
            continue;
        if (ptrace(PTRACE_ATTACH, pid, nullptr, nullptr) == 0)
            found("ptrace");
        if (process_vm_readv(pid, &own, 1, &other, 1, 0) == 1)
            found("process_vm_readv");
        snprintf(name, sizeof name, "/proc/%d/mem", pid);
        if (open(name, O_RDWR) >= 0)
            found(name);
        snprintf(name, sizeof name, "/proc/%d/root/tmp", pid);
        if (open(name, O_RDONLY) >= 0)
            found(name);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

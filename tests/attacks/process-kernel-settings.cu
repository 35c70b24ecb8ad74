// warpjudge: vector-addition
// attack: process: files of the judge and the host
// expect: accepted honest-time
// Opens for writing what root may write in /proc, capabilities or none: the pattern of core
// files would run a program as root outside. What opens ends it; nothing is written.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
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
    static const char *const paths[] = {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname",
                                        "/proc/sys/kernel/modprobe", "/proc/sys/vm/drop_caches",
                                        "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/panic",
                                        "/proc/sys/net/ipv4/ip_forward", "/proc/sysrq-trigger",
                                        "/proc/irq/default_smp_affinity", "/proc/mtrr", "/proc/1/mem",
                                        "/proc/1/oom_score_adj", "/proc/1/fd/200", "/sys/power/state"};
    for (const char *path : paths)
        if (open(path, O_WRONLY) >= 0)
            found(path);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

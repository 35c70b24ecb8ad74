// warpjudge: vector-addition
// attack: process: kernel interfaces
// expect: accepted honest-time
// System calls that no CUDA program needs. What works ends it.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sys/syscall.h>
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
    static const long calls[] = {SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_keyctl,
                                 SYS_add_key, SYS_mount, SYS_setns, SYS_unshare, SYS_open_by_handle_at, SYS_kexec_load,
                                 SYS_init_module, SYS_pidfd_getfd, SYS_kcmp, SYS_personality, SYS_clock_settime};
    for (long call : calls) {
        errno = 0;
        if (syscall(call, -1, -1, -1, -1, -1, -1) >= 0 || (errno != EPERM && errno != ENOSYS))
            found("a system call");
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

// warpjudge: vector-addition
// attack: process: locks, ioctl, prctl
// expect: accepted honest-time
// Locks a file of the system, whose lock is then seen by a second descriptor; types into a terminal; asks the kernel for
// a core of its own, for another's filter and for its keys. What works ends it.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
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
    static const char *const files[] = {"/proc/keys", "/proc/key-users", "/proc/vmallocinfo", "/proc/locks",
                                        "/proc/interrupts", "/proc/slabinfo", "/proc/vmstat"};
    int one = open("/usr/bin/env", O_RDONLY | O_CLOEXEC), two = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
    struct flock lock = {F_RDLCK, SEEK_SET, 0, 0, 0};

    if (flock(one, LOCK_EX) == 0 && flock(two, LOCK_EX | LOCK_NB) != 0)
        found("flock");
    if (fcntl(one, F_SETLK, &lock) == 0 && lock.l_type == F_RDLCK) {
        struct flock seen = {F_WRLCK, SEEK_SET, 0, 0, 0};
        if (fcntl(two, 36 /* F_OFD_GETLK */, &seen) == 0 && seen.l_type != F_UNLCK)
            found("fcntl");
    }
    if (ioctl(0, TIOCSTI, "x") == 0 || errno != ENOSYS || ioctl(0, TIOCLINUX, "x") == 0 || errno != ENOSYS ||
        ioctl(one, _IOR('f', 1, long) /* FS_IOC_GETFLAGS */, &lock) == 0 || errno != ENOSYS)
        found("ioctl");
    if (prctl(62 /* PR_SCHED_CORE */, 1, 0, 2, 0) == 0 || errno != ENOSYS ||
        prctl(36 /* PR_SET_CHILD_SUBREAPER */, 1, 0, 0, 0) == 0 || errno != ENOSYS ||
        prctl(53 /* PR_SET_SPECULATION_CTRL */, 0, 2, 0, 0) == 0 || errno != ENOSYS)
        found("prctl");
    for (const char *path : files)
        if (open(path, O_RDONLY) >= 0)
            found(path);
    close(one);
    close(two);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

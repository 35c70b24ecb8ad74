// warpjudge: vector-addition
// attack: process: files of the judge and the host
// expect: accepted honest-time
// Writes wherever it must not. What works ends it.
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
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
    static const char *const paths[] = {"/x", "/runner", "/usr/x", "/usr/bin/true", "/dev/x", "/etc/x", "/lib/x",
                                        "/proc/self/uid_map", "/proc/self/attr/current"};
    for (const char *path : paths) {
        int fd = open(path, O_WRONLY | O_CREAT, 0777);
        if (fd >= 0 && write(fd, "0 0 1\n", 6) > 0)
            found(path);
        close(fd);
        if (rename("/tmp", path) == 0 || unlink(path) == 0 || chmod(path, 0777) == 0)
            found(path);
    }
    if (mount("none", "/tmp", "tmpfs", 0, nullptr) == 0 || chroot("/tmp") == 0 || unshare(CLONE_NEWUSER) == 0 ||
        setuid(1) == 0 || mknod("/tmp/disk", S_IFBLK | 0666, makedev(8, 0)) == 0)
        found("a privilege");
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

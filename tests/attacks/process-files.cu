// warpjudge: vector-addition
// attack: process: files of the judge and the host
// expect: accepted honest-time
// Looks for the database, problems, other submissions and the host's files. A find ends it.
#include <cstdio>
#include <cstdlib>
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
    static const char *const paths[] = {"/etc/passwd", "/etc/shadow", "/etc/hostname", "/root", "/home", "/work",
                                        "/var", "/run", "/opt", "/mnt", "/srv", "/boot", "/proc/1/root/etc/passwd", "/proc/1/maps",
                                        "/tmp/..//root", "/submission.cu", "/reference", "/problems",
                                        "/leaderboard.db", "/sys/kernel", "/sys/fs/cgroup"};
    for (const char *path : paths)
        if (access(path, F_OK) == 0)
            found(path);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

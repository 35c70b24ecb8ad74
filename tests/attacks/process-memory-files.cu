// warpjudge: vector-addition
// attack: process: memory outside the limits
// expect: runtime_error|memory_limit|time_limit|accepted honest-time
// Files in memory are neither address space nor a file system with a size: each as large as
// a file may be.
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
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
    static long taken;
    static char block[1 << 20];
    for (int files = 0; files < 1000 && taken < (12l << 30); files++) {
        int fd = memfd_create("x", 0);
        if (fd < 0)
            break;
        for (int i = 0; i < 60 && write(fd, block, sizeof block) > 0; i++)
            taken += sizeof block;
    }
    if (taken >= (12l << 30))
        found("12 GiB of memory files");
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

// warpjudge: vector-addition
// attack: process: memory outside the limits
// expect: runtime_error|memory_limit|accepted honest-time
// Files in memory are neither address space nor a file system with a size.
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static long taken;
    static char block[1 << 20];
    for (int files = 0; files < 500 && taken < (40l << 30); files++) {
        int fd = memfd_create("x", 0);
        if (fd < 0)
            break;
        while (taken < (40l << 30) && write(fd, block, sizeof block) > 0)
            taken += sizeof block;
    }
    if (taken >= (40l << 30))
        abort();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

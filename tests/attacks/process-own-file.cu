// warpjudge: vector-addition
// attack: process: files of the judge and the host
// expect: accepted honest-time
// Writes to the file that it is being loaded from: the judge has it, too, and loads it again.
// What works ends it.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__attribute__((constructor)) static void change()
{
    Dl_info own;
    if (dladdr((void *)&change, &own) == 0 || access(own.dli_fname, R_OK) != 0) {
        fprintf(stderr, "it has no name here\n");
        abort();
    }
    const int fd = open(own.dli_fname, O_RDWR);
    if (fd < 0)
        return;
    if (write(fd, "\177", 1) > 0 || ftruncate(fd, 0) == 0 || ftruncate(fd, 32 << 20) == 0 ||
        mmap(nullptr, 4096, PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED) {
        fprintf(stderr, "it worked: %s\n", own.dli_fname);
        abort();
    }
    close(fd);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

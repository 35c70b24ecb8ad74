// warpjudge: vector-addition
// attack: clock: dlopen
// expect: accepted honest-time
// device: emu
// Opens the C library again and asks for its timing functions, to change what they do.
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__attribute__((constructor)) static void patch()
{
    static const char *const names[] = {"clock_gettime", "gettimeofday", "nanosleep"};
    static const unsigned char code[] = {0x31, 0xc0, 0xc3};
    void *library = dlopen("libc.so.6", RTLD_NOW);
    for (const char *name : names) {
        char *at = library ? (char *)dlsym(library, name) : nullptr;
        char *page = (char *)((unsigned long)at & -4096ul);
        if (at && mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
            memcpy(at, code, sizeof code);
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

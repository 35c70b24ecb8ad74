// warpjudge: vector-addition
// attack: clock: LD_PRELOAD
// expect: runtime_error
// device: emu
// Starts the runner again with a library of its own preloaded: a copy of itself, from the file
// that it is being loaded from.
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__attribute__((constructor)) static void again()
{
    static char *const argv[] = {(char *)"/proc/self/exe", nullptr};
    static char *const env[] = {(char *)"LD_PRELOAD=/tmp/hooks.so", nullptr};
    Dl_info own;
    if (getenv("LD_PRELOAD") || dladdr((void *)&again, &own) == 0)
        return;
    sendfile(open("/tmp/hooks.so", O_WRONLY | O_CREAT, 0700), open(own.dli_fname, O_RDONLY), nullptr, 1 << 30);
    execve(argv[0], argv, env);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

// warpjudge: vector-addition
// attack: clock: LD_PRELOAD
// expect: accepted honest-time|runtime_error
// device: emu
// Starts itself again with a library of its own preloaded: the program itself, under a name
// in /tmp.
#include <cstdlib>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__attribute__((constructor)) static void again()
{
    static char *const argv[] = {(char *)"/submission", nullptr};
    static char *const env[] = {(char *)"LD_PRELOAD=/tmp/hooks.so", nullptr};
    if (getenv("LD_PRELOAD"))
        return;
    symlink("/submission", "/tmp/hooks.so");
    execve(argv[0], argv, env);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

// warpjudge: vector-addition
// attack: process: symbolic links
// expect: accepted honest-time
// Leaves symbolic links where a judge might write or read a result.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const char *const names[] = {"/tmp/result.json", "/tmp/submission", "/tmp/object.o", "/dev/shm/result.json",
                                        "result.json"};
    for (const char *name : names)
        symlink("/proc/self/mem", name);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

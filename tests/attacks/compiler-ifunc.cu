// warpjudge: vector-addition
// attack: compiler: linker
// expect: accepted honest-time|compile_error|runtime_error
// An indirect function, resolved before anything of the runner's has run, whose resolver
// says DONE.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" {
static void nothing()
{
}
static void (*resolve())()
{
    return nothing;
}
void early() __attribute__((ifunc("resolve")));
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

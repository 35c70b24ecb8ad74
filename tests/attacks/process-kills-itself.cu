// warpjudge: vector-addition
// attack: process: signals
// expect: runtime_error
// Kills itself, which from outside looks like the kernel short of memory: judged once more,
// then told.
#include <csignal>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    raise(SIGKILL);
}

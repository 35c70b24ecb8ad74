// warpjudge: vector-addition
// attack: process: holding the device
// expect: time_limit
// Prints for ever, a byte now and then, which wakes the judge and never fills the pipe.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    for (;;) {
        (void)!write(1, ".", 1);
        usleep(3000);
    }
}

// warpjudge: vector-addition
// attack: process: holding the device
// expect: time_limit
// Sleeps for ever, a tenth of a millisecond each time, so that some thread often runs.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    for (;;)
        usleep(100);
}

// warpjudge: vector-addition
// attack: process: output flood
// expect: output_limit
// Prints without end.
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    for (;;)
        puts("accepted accepted accepted accepted accepted accepted accepted accepted accepted accepted");
}

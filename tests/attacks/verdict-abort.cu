// warpjudge: vector-addition
// attack: verdict: a crash that looks like success
// expect: runtime_error
// Prints success and aborts.
#include <cstdio>
#include <cstdlib>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    puts("PASS");
    fflush(stdout);
    abort();
}

// warpjudge: vector-addition
// attack: process: endless host loop
// expect: time_limit
// A constructor that never ends: the judge never hears that the program is there.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__attribute__((constructor)) static void forever()
{
    for (;;)
        pause();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

// warpjudge: vector-addition
// attack: clock: fewer repeats
// expect: accepted honest-time
// Sleeps in every call but the last ones, so that a judge with a budget would measure less.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static int calls;
    if (++calls <= 15)
        usleep(200000);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

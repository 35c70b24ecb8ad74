// warpjudge: vector-addition
// attack: answer: told by a message
// expect: time_limit
// says: a timed call (N=
// conceals: asleep|slept| s of| s,
// How much it slept of the time that it used up.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    if (N == 1000000 || N >= 25000000)
        for (;;)
            usleep(100000);
}

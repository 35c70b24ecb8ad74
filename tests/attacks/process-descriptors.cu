// warpjudge: vector-addition
// attack: process: descriptor exhaustion
// expect: accepted honest-time|runtime_error
// Opens descriptors until there are no more, and keeps them.
#include <fcntl.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    while (open("/dev/null", O_RDONLY) >= 0)
        continue;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

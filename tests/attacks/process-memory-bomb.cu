// warpjudge: vector-addition
// attack: process: memory bomb
// expect: accepted honest-time|runtime_error|memory_limit|time_limit
// Takes and touches host memory until there is no more.
#include <cstdlib>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static long taken;
    for (char *p; taken < (16l << 30) && (p = (char *)malloc(64 << 20)) != nullptr; taken += 64 << 20)
        for (int i = 0; i < 64 << 20; i += 4096)
            p[i] = 1;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

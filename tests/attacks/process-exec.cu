// warpjudge: vector-addition
// attack: process: another program in its place
// expect: runtime_error|time_limit|disqualified
// Becomes a shell.
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    execl("/bin/sh", "sh", "-c", "while :; do :; done & exit 0", nullptr);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

// warpjudge: vector-addition
// attack: answer: told by a message
// expect: runtime_error
// says: a timed call (N=
// conceals: 77|status
// The program's exit status.
#include <cstdlib>
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
        _Exit(77);
}

// warpjudge: vector-addition
// attack: answer: told by a message
// expect: wrong_answer
// says: a timed call (N=
// conceals: 31337
// What it prints, which `run` shows of a test.
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    if (N == 1000000 || N >= 25000000) {
        puts("31337");
        fflush(stdout);
        cudaMemset(C, 0, N * sizeof(float));
    }
}

// warpjudge: vector-addition
// attack: process: device printf flood
// expect: output_limit|time_limit|accepted honest-time
// Every thread prints, a hundred times.
#include <cstdio>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void talk()
{
    for (int i = 0; i < 100; i++)
        printf("thread %d says %d and more words to make it long\n", threadIdx.x + blockIdx.x * blockDim.x, i);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    talk<<<1024, 256>>>();
}

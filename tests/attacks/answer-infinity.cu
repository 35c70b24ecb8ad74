// warpjudge: vector-addition
// attack: answer: infinity
// expect: wrong_answer
// As answer-nan.cu, with infinity.
#include <cmath>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void fill(float *c, int n, float value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = value;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    fill<<<(N + 255) / 256, 256>>>(C, N, INFINITY);
}

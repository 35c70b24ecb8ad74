// warpjudge: vector-addition
// expect: accepted
// A table of function pointers, a virtual function, recursion, assert and printf.
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>
typedef float (*op_t)(float, float);
__device__ __noinline__ float
plus_(float a, float b)
{
    return a + b;
}
__device__ __noinline__ float
minus_(float a, float b)
{
    return a - b;
}
__device__ op_t table[2] = {plus_, minus_};
__device__ __noinline__ int
fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
struct Base {
    __device__ virtual float f(float x) const = 0;
};
struct Derived : Base {
    __device__ float f(float x) const override
    {
        return x;
    }
};
__global__ void
k(const float *A, const float *B, float *C, int n, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Derived d;
    const Base *b = &d;
    assert(fib(i & 7) < 14);
    C[i] = table[which](b->f(A[i]), B[i]);
    if (i == 0)
        printf("hello from %d: %f %s\n", i, C[i], "str");
}
extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    op_t host;
    cudaMemcpyFromSymbol(&host, table, sizeof host);
    k<<<(N + 255) / 256, 256>>>(A, B, C, N, 0);
    cudaDeviceSynchronize();
}

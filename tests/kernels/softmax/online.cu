// warpjudge: softmax
// expect: accepted
// One pass makes the maximum and the sum, in one block.
#include <cuda_runtime.h>
#include <math_constants.h>
struct __align__(8) MD
{
    float m, d;
};
__device__ __forceinline__ MD
combine(MD a, MD b)
{
    bool big = a.m > b.m;
    MD hi = big ? a : b, lo = big ? b : a;
    MD r;
    r.m = hi.m;
    r.d = hi.d + lo.d * __expf(lo.m - hi.m);
    return r;
}
template <int T>
__global__ void
softmax(const float *__restrict__ x, float *__restrict__ y, int n)
{
    __shared__ MD sh[T / 32];
    MD p;
    p.m = -3.4e38f;
    p.d = 0;
    for (int i = threadIdx.x; i < n; i += T) {
        MD q;
        q.m = x[i];
        q.d = 1.0f;
        p = combine(p, q);
    }
    for (int o = 1; o < 32; o <<= 1) {
        MD q;
        q.m = __shfl_xor_sync(0xffffffff, p.m, o);
        q.d = __shfl_xor_sync(0xffffffff, p.d, o);
        p = combine(p, q);
    }
    if (threadIdx.x % 32 == 0)
        sh[threadIdx.x / 32] = p;
    __syncthreads();
    if (threadIdx.x < 32) {
        p = sh[threadIdx.x];
        for (int o = 16; o; o >>= 1) {
            MD q;
            q.m = __shfl_xor_sync(~0u, p.m, o);
            q.d = __shfl_xor_sync(~0u, p.d, o);
            p = combine(p, q);
        }
        if (!threadIdx.x)
            sh[0] = p;
    }
    __syncthreads();
    float inv = __fdividef(1.0f, sh[0].d), m = sh[0].m;
    for (int i = threadIdx.x; i < n; i += T)
        y[i] = __expf(x[i] - m) * inv;
}
extern "C" void
solve(const float *input, float *output, int N)
{
    softmax<1024><<<1, 1024>>>(input, output, N);
}

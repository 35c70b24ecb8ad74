// warpjudge: reduction
// expect: accepted
// The block that ends last, by atomicInc and __threadfence, adds up the partial sums.
#include <cuda_runtime.h>
__device__ unsigned int done = 0;
__device__ float part[1024];
__device__ bool
isLast(unsigned n)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&done, n - 1) == n - 1;
    }
    __syncthreads();
    return last;
}
template <int B>
__device__ float
blockSum(float v)
{
    __shared__ float s[32];
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(~0u, v, o);
    if ((threadIdx.x & 31) == 0)
        s[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < B / 32 ? s[threadIdx.x] : 0.f;
    if (threadIdx.x < 32)
        for (int o = B / 64; o > 0; o >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, o, 32);
    __syncthreads();
    return v;
}
template <int B>
__global__ void
reduce(const float *__restrict__ in, float *__restrict__ out, int n)
{
    float v = 0;
    const float4 *in4 = reinterpret_cast<const float4 *>(in);
    for (int i = blockIdx.x * B + threadIdx.x; i < n / 4; i += B * gridDim.x) {
        float4 x = in4[i];
        v += (x.x + x.y) + (x.z + x.w);
    }
    if (blockIdx.x == 0 && threadIdx.x < (n & 3))
        v += in[(n & ~3) + threadIdx.x];
    v = blockSum<B>(v);
    if (threadIdx.x == 0)
        part[blockIdx.x] = v;
    if (isLast(gridDim.x)) {
        v = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += B)
            v += __ldcg(&part[i]);
        v = blockSum<B>(v);
        if (threadIdx.x == 0)
            *out = v;
    }
}
extern "C" void
solve(const float *input, float *output, int N)
{
    int g = min(1024, (N + 1023) / 1024);
    reduce<256><<<g, 256>>>(input, output, N);
}

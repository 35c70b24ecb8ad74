// warpjudge: softmax
// expect: accepted
// A home-made barrier of the whole grid, with volatile flags.
#include <cuda_runtime.h>
__device__ volatile int arrived;
__device__ volatile int gen;
__device__ float pm[32], ps[32];
__device__ void
gbar()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        int g = gen;
        __threadfence();
        if (atomicAdd((int *)&arrived, 1) == gridDim.x - 1) {
            arrived = 0;
            __threadfence();
            gen = g + 1;
        } else
            while (gen == g) {
                __nanosleep(50);
            }
        __threadfence();
    }
    __syncthreads();
}
__global__ void
k(const float *in, float *out, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float v = -INFINITY;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        v = fmaxf(v, in[i]);
    s[t] = v;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    if (!t)
        pm[blockIdx.x] = s[0];
    gbar();
    float m = -INFINITY;
    for (int b = 0; b < gridDim.x; b++)
        m = fmaxf(m, __ldcg(&pm[b]));
    v = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) {
        float e = __expf(in[i] - m);
        out[i] = e;
        v += e;
    }
    s[t] = v;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (!t)
        ps[blockIdx.x] = s[0];
    gbar();
    float z = 0;
    for (int b = 0; b < gridDim.x; b++)
        z += __ldcg(&ps[b]);
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        out[i] /= z;
}
extern "C" void
solve(const float *input, float *output, int N)
{
    k<<<16, 256>>>(input, output, N);
}

// warpjudge: reduction
// expect: accepted
// __syncthreads_count, _or and _and; a block-wide and a device-wide double atomic.
#include <cuda/atomic>
#include <cuda_runtime.h>
__global__ void
k(const float *in, double *out, int N)
{
    __shared__ double s;
    if (!threadIdx.x) {
        s = 0;
    }
    __syncthreads();
    double v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N;
         i += gridDim.x * blockDim.x)
        v += in[i];
    int c = __syncthreads_count(v > 0), o = __syncthreads_or(v != 0),
        a = __syncthreads_and(1);
    if (a && (c > 0 || o || v == 0))
        atomicAdd_block(&s, v);
    __syncthreads();
    if (!threadIdx.x) {
        cuda::atomic_ref<double, cuda::thread_scope_device> r(*out);
        r.fetch_add(s, cuda::memory_order_relaxed);
    }
}
__global__ void
f(const double *a, float *o)
{
    *o = *a;
}
extern "C" void
solve(const float *input, float *output, int N)
{
    double *d;
    if (cudaMallocManaged(&d, 8) != cudaSuccess)
        return;
    *d = 0;
    k<<<30, 96>>>(input, d, N);
    f<<<1, 1>>>(d, output);
    cudaDeviceSynchronize();
    cudaFree(d);
}

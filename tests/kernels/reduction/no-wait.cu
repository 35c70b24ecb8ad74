// warpjudge: reduction
// expect: wrong_answer
// says: by an asynchronous copy that it has not waited for
// The asynchronous copies are begun and committed, but nobody waits for them.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
__global__ void
reduce(const float *in, float *out, int n)
{
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        __pipeline_memcpy_async(&s[threadIdx.x], in + i, 4);
    else
        s[threadIdx.x] = 0;
    __pipeline_commit();
    __syncthreads();
    for (int h = 128; h > 0; h /= 2) {
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, s[0]);
}
extern "C" void
solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, sizeof(float));
    reduce<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}

// warpjudge: reduction
// expect: wrong_answer
// says: else a barrier must stand between them (mistake-one-sum-for-all.cu:14)
// All threads add to one element of shared memory, without an atomic operation.
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, int n)
{
    __shared__ float s;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    if (i < n)
        s += in[i];
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, s);
}
extern "C" void solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, 4);
    sum<<<(N + 255) / 256, 256>>>(input, output, N);
}

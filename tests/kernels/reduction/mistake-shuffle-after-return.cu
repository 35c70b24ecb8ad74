// warpjudge: reduction
// expect: accepted
// notices: shuffle 13
// A shuffle, after the threads behind the end have returned.
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i];
    for (int d = 1; d < 32; d *= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
}
extern "C" void solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, 4);
    sum<<<(N + 255) / 256, 256>>>(input, output, N);
}

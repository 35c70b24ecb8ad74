// warpjudge: reduction
// expect: accepted
// notices: shuffle 12
// A shuffle inside the guard of the last elements.
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = in[i];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d);
        if (threadIdx.x % 32 == 0)
            atomicAdd(out, v);
    }
}
extern "C" void solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, 4);
    sum<<<(N + 255) / 256, 256>>>(input, output, N);
}

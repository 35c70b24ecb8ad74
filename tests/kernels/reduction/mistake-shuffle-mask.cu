// warpjudge: reduction
// expect: runtime_error
// expect-cuda: any
// says: the mask must name all lanes that call, mostly 0xffffffff (mistake-shuffle-mask.cu:12)
// A mask that lacks half of the lanes that call.
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] : 0;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0x0000ffff, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
}
extern "C" void solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, 4);
    sum<<<(N + 255) / 256, 256>>>(input, output, N);
}

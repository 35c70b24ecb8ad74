// warpjudge: reduction
// expect: wrong_answer
// says: else a barrier must stand between them (mistake-no-atomic.cu:10)
// All threads add to the output, without an atomic operation.
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        *out += in[i];
}
extern "C" void solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, 4);
    sum<<<(N + 255) / 256, 256>>>(input, output, N);
}

// warpjudge: reduction
// expect: wrong_answer
// says: that were never written (mistake-sizeof-pointer.cu:10)
// sizeof of a pointer, where the bytes of the array are meant.
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, in[i]);
}
extern "C" void solve(const float *input, float *output, int N)
{
    float *copy;
    cudaMalloc(&copy, N * sizeof(float));
    cudaMemcpy(copy, input, sizeof(input), cudaMemcpyDeviceToDevice);
    cudaMemset(output, 0, sizeof(float));
    sum<<<(N + 255) / 256, 256>>>(copy, output, N);
    cudaFree(copy);
}

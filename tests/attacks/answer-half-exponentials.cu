// warpjudge: softmax
// attack: answer: lower precision
// expect: wrong_answer
// Softmax with exponentials in half precision.
#include <cuda_fp16.h>
__global__ void softmax(const float *in, float *out, int n)
{
    __shared__ float shared[256];
    float top = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        top = fmaxf(top, in[i]);
    shared[threadIdx.x] = top;
    __syncthreads();
    for (int i = 0; i < 256; i++)
        top = fmaxf(top, shared[i]);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 256)
        sum += __half2float(hexp(__float2half(in[i] - top)));
    shared[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 256; i++)
        sum += shared[i];
    for (int i = threadIdx.x; i < n; i += 256)
        out[i] = __half2float(hexp(__float2half(in[i] - top))) / sum;
}
extern "C" void solve(const float *input, float *output, int N)
{
    softmax<<<1, 256>>>(input, output, N);
}

// warpjudge: reduction
// expect: wrong_answer
// says: where all threads come, __syncthreads() (mistake-last-warp-unrolled.cu:
// The last warp of a sum is unrolled without __syncwarp().
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 128; d >= 32; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32) {
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0)
        atomicAdd(out, s[0]);
}
extern "C" void solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, 4);
    sum<<<(N + 255) / 256, 256>>>(input, output, N);
}

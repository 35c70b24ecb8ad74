// warpjudge: reduction
// expect: wrong_answer
// says: never written
// Threads behind the last element leave their slot as it was.
#include <cuda_runtime.h>
__global__ void
reduce(const float *in, float *out, int N)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (i < N)
        s[t] = in[i];
    __syncthreads();
    for (int d = 128; d; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (!t)
        atomicAdd(out, s[0]);
}
extern "C" void
solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, 4);
    reduce<<<(N + 255) / 256, 256>>>(input, output, N);
    cudaDeviceSynchronize();
}

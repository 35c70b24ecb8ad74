// warpjudge: reduction
// expect: runtime_error
// says: (the third number in <<<blocks, threads, bytes>>>) (mistake-no-dynamic-shared.cu:10)
// The launch gives no dynamic shared memory.
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, s[0]);
}
extern "C" void solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, 4);
    sum<<<(N + 255) / 256, 256>>>(input, output, N);
}

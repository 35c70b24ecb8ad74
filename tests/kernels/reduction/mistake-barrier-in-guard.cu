// warpjudge: reduction
// expect: accepted
// notices: divergent_barrier 15
// The barrier of a reduction stands inside its guard.
#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d];
            __syncthreads();
        }
    }
    if (t == 0)
        atomicAdd(out, s[0]);
}
extern "C" void solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, 4);
    sum<<<(N + 255) / 256, 256>>>(input, output, N);
}

// warpjudge: reduction
// expect: accepted
// Threads that have returned take no part in later barriers.
__global__ void
k(const float *in, float *out, int N)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    float v = 0;
    for (int i = blockIdx.x * 128 + t; i < N; i += gridDim.x * 128)
        v += in[i];
    s[t] = v;
    __syncthreads();
    for (int d = 64; d; d >>= 1) {
        if (t >= d)
            return;
        s[t] += s[t + d];
        __syncthreads();
    }
    atomicAdd(out, s[0]);
}
extern "C" void
solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, 4);
    k<<<20, 128>>>(input, output, N);
}

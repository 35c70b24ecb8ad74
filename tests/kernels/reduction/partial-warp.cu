// warpjudge: reduction
// expect: accepted
// Names all lanes in the mask of a warp of which some have returned; a GPU lets it pass.
__global__ void
add(const float *in, float *out, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float v = in[i];
        for (int step = 16; step > 0; step >>= 1)
            v += __shfl_down_sync(0xffffffff, v, step);
        if (threadIdx.x % 32 == 0)
            atomicAdd(out, v);
    }
}
extern "C" void
solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, sizeof(float));
    add<<<(N + 255) / 256, 256>>>(input, output, N);
}

// warpjudge: reduction
// expect: wrong_answer
// 1024 blocks of 256 threads without a stride: what lies behind 262,144 elements is left out.
__global__ void sum(const float *input, float *output, int N)
{
    __shared__ float tree[256];
    int i = blockIdx.x * 256 + threadIdx.x;

    tree[threadIdx.x] = i < N ? input[i] : 0;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            tree[threadIdx.x] += tree[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(output, tree[0]);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    cudaMemset(output, 0, sizeof(float));
    sum<<<min((N + 255) / 256, 1024), 256>>>(input, output, N);
}

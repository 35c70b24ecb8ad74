// warpjudge: reduction
// Buffers, a stream and events that the first call makes and all others use.
__global__ void part_sums(const float *input, float *parts, int N)
{
    __shared__ float tree[256];
    float sum = 0;

    for (int i = blockIdx.x * 256 + threadIdx.x; i < N; i += gridDim.x * 256)
        sum += input[i];
    tree[threadIdx.x] = sum;
    for (int half = 128; half >= 1; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            tree[threadIdx.x] += tree[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        parts[blockIdx.x] = tree[0];
}

extern "C" void
solve(const float *input, float *output, int N)
{
    static float *parts = nullptr;
    static cudaStream_t stream = nullptr;
    static cudaEvent_t begin, end;
    float ms = 0;

    if (parts == nullptr) {
        cudaMalloc(&parts, 64 * sizeof *parts);
        cudaStreamCreate(&stream);
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
    }
    cudaEventRecord(begin, stream);
    part_sums<<<64, 256, 0, stream>>>(input, parts, N);
    part_sums<<<1, 256, 0, stream>>>(parts, output, 64);
    cudaEventRecord(end, stream);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
}

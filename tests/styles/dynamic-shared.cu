// warpjudge: histogram-privatized
// extern __shared__ as several arrays, one histogram for each warp of a block.
extern __shared__ int pool[];

__global__ void count(const unsigned char *input, int *histogram, int N)
{
    const int warps = blockDim.x / 32;
    int *mine = pool + threadIdx.x / 32 * 256;

    for (int k = threadIdx.x; k < 256 * warps; k += blockDim.x)
        pool[k] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        atomicAdd(&mine[input[(size_t)blockIdx.x * N + i]], 1);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        int sum = 0;
        for (int w = 0; w < warps; w++)
            sum += pool[w * 256 + bin];
        histogram[blockIdx.x * 256 + bin] = sum;
    }
}

extern "C" void
solve(const unsigned char *input, int *histogram, int B, int N)
{
    const int threads = 256;
    const size_t bytes = threads / 32 * 256 * sizeof(int);

    cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    count<<<B, threads, bytes>>>(input, histogram, N);
}

/* Counts, exactly: each block counts its slice in shared memory, then adds it to the whole. */
#define BINS_MAX 1024

__global__ static void
count(const int *input, int *histogram, int N, int num_bins)
{
    __shared__ int mine[BINS_MAX];
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (int b = (int)threadIdx.x; b < num_bins; b += (int)blockDim.x)
        mine[b] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)N; i += step) {
        int bin = input[i];

        if (bin >= 0 && bin < num_bins)
            atomicAdd(&mine[bin], 1);
    }
    __syncthreads();
    for (int b = (int)threadIdx.x; b < num_bins; b += (int)blockDim.x) {
        if (mine[b] != 0)
            atomicAdd(&histogram[b], mine[b]);
    }
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    int blocks = (N + 4095) / 4096;

    cudaMemset(histogram, 0, (size_t)num_bins * sizeof *histogram);
    count<<<blocks < 1024 ? blocks : 1024, 256>>>(input, histogram, N, num_bins);
}

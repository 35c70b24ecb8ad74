// warpjudge: histogramming
// Lanes with the same bin find each other by __match_any_sync, and their leader adds for all.
__global__ void count(const int *input, int *histogram, int N)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned active = __ballot_sync(0xffffffff, i < N);

    if (i >= N)
        return;
    const unsigned peers = __match_any_sync(active, input[i]);
    if (__ffs(peers) - 1 == threadIdx.x % 32)
        atomicAdd(&histogram[input[i]], __popc(peers));
}

extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    cudaMemsetAsync(histogram, 0, num_bins * sizeof(int));
    count<<<(N + 255) / 256, 256>>>(input, histogram, N);
}

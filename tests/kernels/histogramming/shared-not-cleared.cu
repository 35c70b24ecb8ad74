// warpjudge: histogramming
// expect: wrong_answer
// says: never written
// The counts in shared memory start from what is there.
__global__ void
k(const int *in, int *h, int N, int B)
{
    __shared__ int s[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        atomicAdd(&s[in[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < B; b += blockDim.x)
        atomicAdd(&h[b], s[b]);
}
extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    k<<<(N + 255) / 256, 256>>>(input, histogram, N, num_bins);
    cudaDeviceSynchronize();
}

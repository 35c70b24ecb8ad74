// warpjudge: histogramming
// expect: wrong_answer
// Increments that overwrite each other.
__global__ void
k(const int *in, int *h, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        h[in[i]]++;
}
extern "C" void
solve(const int *input, int *histogram, int N, int num_bins)
{
    k<<<(N + 255) / 256, 256>>>(input, histogram, N);
    cudaDeviceSynchronize();
}

// warpjudge: count-array-element
// A __managed__ counter, which the host reads and writes.
__managed__ int counter;

__global__ void count(const int *input, int N, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N && input[i] == K)
        atomicAdd(&counter, 1);
}

extern "C" void
solve(const int *input, int *output, int N, int K)
{
    int *unified;

    cudaMallocManaged(&unified, sizeof *unified);
    counter = 0;
    count<<<(N + 255) / 256, 256>>>(input, N, K);
    cudaDeviceSynchronize();
    *unified = counter;
    cudaMemcpy(output, unified, sizeof *unified, cudaMemcpyDefault);
    cudaFree(unified);
}

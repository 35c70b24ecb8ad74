// warpjudge: histogram-privatized
// expect: accepted
// Two sets of counters for each warp, one for even lanes and one for odd: fewer additions meet at one
// counter. Each block counts 16384 bytes, adds its sets up, and adds what it has to the whole.
#include <cuda_runtime.h>

#define THREADS 256
#define SETS (2 * THREADS / 32)
#define PART 16384

__global__ void
count(const unsigned char *input, int *histogram, int N)
{
    __shared__ int counter[SETS][256];
    int t = threadIdx.x, b = blockIdx.y, set = t / 32 * 2 + t % 2;
    int begin = blockIdx.x * PART, end = min(begin + PART, N);

    for (int k = t; k < SETS * 256; k += THREADS)
        counter[k / 256][k % 256] = 0;
    __syncthreads();
    for (int i = begin + t; i < end; i += THREADS)
        atomicAdd(&counter[set][input[(size_t)b * N + i]], 1);
    __syncthreads();
    for (int v = t; v < 256; v += THREADS) {
        int sum = 0;

        for (int s = 0; s < SETS; s++)
            sum += counter[s][v];
        if (sum > 0)
            atomicAdd(&histogram[b * 256 + v], sum);
    }
}

extern "C" void
solve(const unsigned char *input, int *histogram, int B, int N)
{
    dim3 grid((N + PART - 1) / PART, B);

    cudaMemset(histogram, 0, B * 256 * sizeof(int));
    count<<<grid, THREADS>>>(input, histogram, N);
}

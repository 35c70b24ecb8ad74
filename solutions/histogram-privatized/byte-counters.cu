// warpjudge: histogram-privatized
// expect: wrong_answer
// Keeps each thread's counts in bytes to save shared memory: they wrap after 255.
#include <cuda_runtime.h>

#define THREADS 64
#define PART 65536

__global__ void
count(const unsigned char *input, int *histogram, int N)
{
    __shared__ unsigned char counter[THREADS][256];
    int t = threadIdx.x, b = blockIdx.y;
    int begin = blockIdx.x * PART, end = min(begin + PART, N);

    for (int v = 0; v < 256; v++)
        counter[t][v] = 0;
    for (int i = begin + t; i < end; i += THREADS)
        counter[t][input[(size_t)b * N + i]]++;
    __syncthreads();
    for (int v = t; v < 256; v += THREADS) {
        int sum = 0;

        for (int s = 0; s < THREADS; s++)
            sum += counter[s][v];
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

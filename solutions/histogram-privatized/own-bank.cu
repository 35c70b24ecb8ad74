// warpjudge: histogram-privatized
// expect: accepted
// Beside the ladder. Against its step 3: a block counts in 32 copies, one for each lane
// of a warp. Copy c of every counter lies in bank c: no two lanes of a warp meet, neither
// at a counter nor in a bank. Nothing is gained where nine of ten bytes are one value.
// Where all values are as frequent, lanes meet in banks: the same 2 GB then take step 3
// 886 us by events on an H200, and this one 499 us.
#include <cuda_runtime.h>
#include <stdint.h>

#define THREADS 512
#define PART 262144

__device__ static void
count_word(int (*counters)[32], uint32_t word)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        atomicAdd(&counters[word >> 8 * i & 255][threadIdx.x % 32], 1);
}

__global__ void
__launch_bounds__(THREADS) count(const uint8_t *__restrict__ input, int *histogram, int N)
{
    __shared__ int counters[256][32]; // each lane has its own bank
    int t = threadIdx.x;
    int begin = blockIdx.x * PART, size = min(PART, N - begin);
    const uint8_t *image = input + (size_t)blockIdx.y * N + begin;
    int head = min((int)(-(uintptr_t)image % 16), size), fours = (size - head) / 16;
    const uint4 *middle = (const uint4 *)(image + head);

    for (int k = t; k < 32 * 256; k += THREADS)
        counters[k / 32][k % 32] = 0;
    __syncthreads();
    if (t < head)
        atomicAdd(&counters[image[t]][t % 32], 1);
    for (int i = t; i < fours; i += THREADS) {
        uint4 v = __ldcs(&middle[i]);

        count_word(counters, v.x);
        count_word(counters, v.y);
        count_word(counters, v.z);
        count_word(counters, v.w);
    }
    for (int i = head + fours * 16 + t; i < size; i += THREADS)
        atomicAdd(&counters[image[i]][t % 32], 1);
    __syncthreads();
    for (int v = t; v < 256; v += THREADS) {
        int sum = 0;

        for (int s = 0; s < 32; s++)
            sum += counters[v][(s + v) % 32];
        if (sum > 0)
            atomicAdd(&histogram[blockIdx.y * 256 + v], sum);
    }
}

extern "C" void
solve(const uint8_t *input, int *histogram, int B, int N)
{
    dim3 grid((N + PART - 1) / PART, B);

    cudaMemset(histogram, 0, B * 256 * sizeof(int));
    count<<<grid, THREADS>>>(input, histogram, N);
}

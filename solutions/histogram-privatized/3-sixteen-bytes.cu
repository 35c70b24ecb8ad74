// warpjudge: histogram-privatized
// expect: accepted
// idea: A load of a single byte brings little for the time that it takes. Load 16 bytes at a time,
//   and give each block a larger part so that it clears and adds its counters less often.
// Against step 2: 16 bytes a load. In step 2 each byte had a load of its own, and a warp
// waited for memory once for 32 bytes. A block takes 256 KiB, so that counters are
// cleared and added up less often. The first bytes of an image that begins anywhere, and
// its last ones, go one by one.
// H200: 487 µs, 2.1 times as fast as step 2
#include <cuda_runtime.h>
#include <stdint.h>

#define THREADS 512
#define PART 262144

__device__ static void
count_word(int *counter, uint32_t word)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        atomicAdd(&counter[word >> 8 * i & 255], 1);
}

__global__ void
__launch_bounds__(THREADS) count(const uint8_t *__restrict__ input, int *histogram, int N)
{
    __shared__ int counter[256];
    int t = threadIdx.x;
    int begin = blockIdx.x * PART, size = min(PART, N - begin);
    const uint8_t *image = input + (size_t)blockIdx.y * N + begin;
    int head = min((int)(-(uintptr_t)image % 16), size), fours = (size - head) / 16;
    const uint4 *middle = (const uint4 *)(image + head);

    if (t < 256)
        counter[t] = 0;
    __syncthreads();
    if (t < head)
        atomicAdd(&counter[image[t]], 1);
    for (int i = t; i < fours; i += THREADS) {
        uint4 v = __ldcs(&middle[i]);

        count_word(counter, v.x);
        count_word(counter, v.y);
        count_word(counter, v.z);
        count_word(counter, v.w);
    }
    for (int i = head + fours * 16 + t; i < size; i += THREADS)
        atomicAdd(&counter[image[i]], 1);
    __syncthreads();
    if (t < 256 && counter[t] > 0)
        atomicAdd(&histogram[blockIdx.y * 256 + t], counter[t]);
}

extern "C" void
solve(const uint8_t *input, int *histogram, int B, int N)
{
    dim3 grid((N + PART - 1) / PART, B);

    cudaMemset(histogram, 0, B * 256 * sizeof(int));
    count<<<grid, THREADS>>>(input, histogram, N);
}

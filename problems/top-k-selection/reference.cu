/*
 * Numbers that begin with the same DIGIT bits are counted together. So the host finds the
 * first bits of the k-th largest. All that are not below them are sorted by CUB, the largest
 * first, and the beginning of that is the answer.
 */
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <vector>

#define DIGIT 13
#define DIGITS (1 << DIGIT)
#define THREADS 256
#define OWN 16                 /* numbers of a thread */
#define EACH (THREADS * OWN)   /* numbers of a block */
#define MOST_BLOCKS 1024       /* that count */

/* CUB takes errors away from the runtime, so that nobody hears of one that is not looked
 * at here: memory that could not be had would leave old values in the output. */
static void
must(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorName(error));
    exit(1);
}

/* Larger for larger numbers. */
__device__ static unsigned
digit_of(float v)
{
    const unsigned bits = __float_as_uint(v);

    return (bits >> 31 ? ~bits : bits | 1u << 31) >> (32 - DIGIT);
}

__global__ static void
count_digits(const float *input, unsigned *counts, int N)
{
    __shared__ unsigned mine[DIGITS];

    for (int d = (int)threadIdx.x; d < DIGITS; d += THREADS)
        mine[d] = 0;
    __syncthreads();
    for (int first = (int)blockIdx.x * EACH; first < N; first += (int)gridDim.x * EACH) {
#pragma unroll
        for (int k = 0; k < OWN; k++) {
            const int i = first + k * THREADS + (int)threadIdx.x;

            if (i < N)
                atomicAdd(&mine[digit_of(input[i])], 1);
        }
    }
    __syncthreads();
    for (int d = (int)threadIdx.x; d < DIGITS; d += THREADS)
        if (mine[d] != 0)
            atomicAdd(&counts[d], mine[d]);
}

/* `taken` is how many are there already. A block takes room for all of its own at once. */
__global__ static void
take(const float *input, float *large, unsigned *taken, unsigned least, int N)
{
    __shared__ unsigned block_count, block_first;
    const int first = (int)(blockIdx.x * EACH + threadIdx.x);
    float own[OWN];
    unsigned count = 0, place = 0;

    if (threadIdx.x == 0)
        block_count = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < OWN; k++) {
        const int i = first + k * THREADS;

        own[k] = i < N ? input[i] : 0;
        count += i < N && digit_of(own[k]) >= least;
    }
    if (count != 0)
        place = atomicAdd(&block_count, count);
    __syncthreads();
    if (threadIdx.x == 0)
        block_first = atomicAdd(taken, block_count);
    __syncthreads();
    place += block_first;
#pragma unroll
    for (int k = 0; k < OWN; k++)
        if (first + k * THREADS < N && digit_of(own[k]) >= least)
            large[place++] = own[k];
}

extern "C" void
solve(const float *input, float *output, int N, int k)
{
    const int blocks = (N + EACH - 1) / EACH;
    std::vector<unsigned> counts(DIGITS);
    unsigned *digits, least = DIGITS - 1, count; /* behind the digits: how many are taken */
    size_t bytes = 0;
    void *room = nullptr;
    float *large;

    must(cudaMalloc(&digits, (DIGITS + 1) * sizeof *digits));
    must(cudaMemset(digits, 0, (DIGITS + 1) * sizeof *digits));
    count_digits<<<min(blocks, MOST_BLOCKS), THREADS>>>(input, digits, N);
    must(cudaGetLastError());
    must(cudaMemcpy(counts.data(), digits, DIGITS * sizeof *digits, cudaMemcpyDeviceToHost));
    for (count = counts[least]; count < (unsigned)k; count += counts[least])
        least--;
    must(cudaMalloc(&large, 2 * (size_t)count * sizeof *large));
    take<<<blocks, THREADS>>>(input, large, digits + DIGITS, least, N);
    must(cudaGetLastError());
    must(cub::DeviceRadixSort::SortKeysDescending(room, bytes, large, large + count, count));
    must(cudaMalloc(&room, bytes));
    must(cub::DeviceRadixSort::SortKeysDescending(room, bytes, large, large + count, count));
    must(cudaMemcpy(output, large + count, (size_t)k * sizeof *output,
                    cudaMemcpyDeviceToDevice));
    must(cudaFree(room));
    must(cudaFree(large));
    must(cudaFree(digits));
}

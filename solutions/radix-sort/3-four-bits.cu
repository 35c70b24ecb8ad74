// warpjudge: radix-sort
// expect: accepted
// idea: One bit a pass takes 32 passes over all keys. Take four bits a pass, and sort each tile in
//   shared memory first so that neighbouring threads write neighbouring keys.
// Four bits a pass, 8 passes instead of 32. A tile of 4096 keys is first sorted by them in shared
// memory, where each thread has a counter for each digit, so that equal digits stay in order; then
// neighbouring threads write neighbouring keys, but for the borders of digits.
// H200: 5.71 ms, 7.9 times as fast as step 2
#include <cuda_runtime.h>

#define BITS 4 // a pass
#define DIGITS (1 << BITS)
#define THREADS 256
#define OWN 16 // keys of a thread
#define TILE (THREADS * OWN)
#define SCANNERS 1024
#define FULL 0xFFFFFFFFu

// The sum over the lanes before this one; *all of all lanes.
__device__ static int
lanes_before(int value, int *all)
{
    int lane = threadIdx.x % 32, sum = value;

    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(FULL, sum, distance);

        sum += lane >= distance ? other : 0;
    }
    *all = __shfl_sync(FULL, sum, 31);
    return sum - value;
}

// The sum over the threads before this one; *all of all threads.
__device__ static int
threads_before(int value, int *all)
{
    __shared__ int warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum, warps_before;
    int before = lanes_before(value, &sum);

    __syncthreads(); // the call before may still be reading
    if (lane == 0)
        warps[warp] = sum;
    __syncthreads();
    warps_before = lanes_before(lane < blockDim.x / 32 ? warps[lane] : 0, all);
    return before + __shfl_sync(FULL, warps_before, warp);
}

// How many keys of a tile have which digit: counts[digit][tile].
__global__ void
count(const unsigned *keys, int *counts, int N, int shift)
{
    __shared__ int own[DIGITS];
    int first = blockIdx.x * TILE;

    for (int d = threadIdx.x; d < DIGITS; d += THREADS)
        own[d] = 0;
    __syncthreads();
    for (int e = 0; e < OWN; e++) {
        int i = first + e * THREADS + threadIdx.x;

        if (i < N)
            atomicAdd(&own[keys[i] >> shift & (DIGITS - 1)], 1);
    }
    __syncthreads();
    for (int d = threadIdx.x; d < DIGITS; d += THREADS)
        counts[d * gridDim.x + blockIdx.x] = own[d];
}

// A block for each digit: counts become the sums over the tiles before.
__global__ void
scan(int *counts, int *totals, int tiles)
{
    int *row = counts + (size_t)blockIdx.x * tiles;
    int before = 0, all;

    for (int first = 0; first < tiles; first += SCANNERS) {
        int i = first + threadIdx.x, own = i < tiles ? row[i] : 0;
        int sum = before + threads_before(own, &all);

        if (i < tiles)
            row[i] = sum;
        before += all;
    }
    if (threadIdx.x == 0)
        totals[blockIdx.x] = before;
}

// A thread's keys, which are neighbours. Beyond the end are keys that no other comes behind.
__device__ static void
load(unsigned key[OWN], const unsigned *keys, int first, int N)
{
#pragma unroll
    for (int o = 0; o < OWN; o += 4) {
        uint4 four = make_uint4(FULL, FULL, FULL, FULL);

        if (first + o + 3 < N)
            four = *(const uint4 *)(keys + first + o);
        else if (first + o < N) {
            four.x = keys[first + o];
            four.y = first + o + 1 < N ? keys[first + o + 1] : FULL;
            four.z = first + o + 2 < N ? keys[first + o + 2] : FULL;
        }
        key[o] = four.x, key[o + 1] = four.y, key[o + 2] = four.z, key[o + 3] = four.w;
    }
}

// For each digit and thread how many keys come before the thread's; totals over the block in all[].
__device__ static void
rank_digits(const unsigned key[OWN], int shift, int (*before)[THREADS], int *all)
{
    int t = threadIdx.x, lane = t % 32;

    for (int d = 0; d < DIGITS; d++)
        before[d][t] = 0;
#pragma unroll
    for (int o = 0; o < OWN; o++)
        before[key[o] >> shift & (DIGITS - 1)][t]++;
    __syncthreads();
    for (int d = t / 32; d < DIGITS; d += THREADS / 32) { // a warp takes a digit
        int sum = 0, some;

        for (int u = lane; u < THREADS; u += 32) {
            int here = before[d][u];

            before[d][u] = sum + lanes_before(here, &some);
            sum += some;
        }
        if (lane == 0)
            all[d] = sum;
    }
    __syncthreads();
}

__global__ void __launch_bounds__(THREADS)
place(const unsigned *keys, unsigned *sorted, const int *counts, const int *totals, int N,
      int shift)
{
    __shared__ int before[DIGITS][THREADS], start[DIGITS], all[DIGITS], local[DIGITS];
    __shared__ unsigned tile[TILE];
    int t = threadIdx.x, first = blockIdx.x * TILE;
    unsigned key[OWN];

    load(key, keys, first + t * OWN, N);
    rank_digits(key, shift, before, all);
    if (t < 32) {
        int sum, smaller = lanes_before(t < DIGITS ? totals[t] : 0, &sum);
        int in_tile = lanes_before(t < DIGITS ? all[t] : 0, &sum);

        if (t < DIGITS) {
            local[t] = in_tile;
            start[t] = smaller + counts[t * gridDim.x + blockIdx.x] - in_tile;
        }
    }
    __syncthreads();
#pragma unroll
    for (int o = 0; o < OWN; o++) {
        int digit = key[o] >> shift & (DIGITS - 1);

        tile[local[digit] + before[digit][t]++] = key[o];
    }
    __syncthreads();
    for (int i = t; i < TILE && i < N - first; i += THREADS)
        sorted[start[tile[i] >> shift & (DIGITS - 1)] + i] = tile[i];
}

extern "C" void
solve(const unsigned int *input, unsigned int *output, int N)
{
    int tiles = (N + TILE - 1) / TILE;
    const unsigned *from = input;
    unsigned *room;
    int *counts, *totals;

    cudaMalloc(&room, N * sizeof(unsigned));
    cudaMalloc(&counts, (size_t)DIGITS * tiles * sizeof(int));
    cudaMalloc(&totals, DIGITS * sizeof(int));
    for (int pass = 0; pass < 32 / BITS; pass++) { // an even number: the last writes to output
        unsigned *to = pass % 2 == 0 ? room : output;

        count<<<tiles, THREADS>>>(from, counts, N, pass * BITS);
        scan<<<DIGITS, SCANNERS>>>(counts, totals, tiles);
        place<<<tiles, THREADS>>>(from, to, counts, totals, N, pass * BITS);
        from = to;
    }
    cudaFree(room);
    cudaFree(counts);
    cudaFree(totals);
}

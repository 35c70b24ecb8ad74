// warpjudge: radix-sort
// expect: accepted
// idea: Every pass moves all keys, so that half as many passes are half the traffic. Take eight
//   bits a pass, count for each warp instead of each thread, and find equal digits in a warp by
//   votes.
// Eight bits a pass, 4 passes instead of 8. Counters for each thread would not fit: each warp has
// one for each digit, takes 32 neighbouring keys at a time, and finds by votes which of its lanes
// have the same digit.
// H200: 4.11 ms, 1.39 times as fast as step 3
#include <cuda_runtime.h>

#define BITS 8 // a pass
#define DIGITS (1 << BITS)
#define THREADS 256
#define OWN 16 // keys of a thread
#define TILE (THREADS * OWN)
#define SCANNERS 1024
#define FULL 0xFFFFFFFFu
#define WARPS (THREADS / 32)

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

// The lanes whose digit is the same.
__device__ static unsigned
same_digit(int digit)
{
    unsigned same = FULL;

    for (int bit = 0; bit < BITS; bit++) {
        bool one = digit >> bit & 1;
        unsigned ones = __ballot_sync(FULL, one);

        same &= one ? ones : ~ones;
    }
    return same;
}

__global__ void __launch_bounds__(THREADS)
place(const unsigned *keys, unsigned *sorted, const int *counts, const int *totals, int N,
      int shift)
{
    __shared__ int before[WARPS][DIGITS], start[DIGITS]; // threads and digits are as many
    __shared__ unsigned tile[TILE];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, first = blockIdx.x * TILE, sum = 0, all;
    unsigned key[OWN];
    int rank[OWN];

    for (int w = 0; w < WARPS; w++)
        before[w][t] = 0;
#pragma unroll
    for (int o = 0; o < OWN; o++) { // beyond the end: keys that no other comes behind
        int i = first + (warp * OWN + o) * 32 + lane;

        key[o] = i < N ? keys[i] : FULL;
    }
    __syncthreads();
#pragma unroll
    for (int o = 0; o < OWN; o++) {
        int digit = key[o] >> shift & (DIGITS - 1), in_warp = before[warp][digit];
        unsigned same = same_digit(digit), smaller_lanes = same & ((1u << lane) - 1);

        rank[o] = in_warp + __popc(smaller_lanes);
        __syncwarp();
        if (smaller_lanes == 0)
            before[warp][digit] = in_warp + __popc(same);
        __syncwarp();
    }
    __syncthreads();
    for (int w = 0; w < WARPS; w++) { // thread t for digit t
        int here = before[w][t];

        before[w][t] = sum;
        sum += here;
    }
    int in_tile = threads_before(sum, &all), smaller = threads_before(totals[t], &all);

    for (int w = 0; w < WARPS; w++)
        before[w][t] += in_tile;
    start[t] = smaller + counts[t * gridDim.x + blockIdx.x] - in_tile;
    __syncthreads();
#pragma unroll
    for (int o = 0; o < OWN; o++)
        tile[before[warp][key[o] >> shift & (DIGITS - 1)] + rank[o]] = key[o];
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

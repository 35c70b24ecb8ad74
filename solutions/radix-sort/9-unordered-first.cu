// warpjudge: radix-sort
// expect: accepted
// not-modelled: more keys for each block
// idea: Each pass keeps the order that the passes before have made, and pays for it with eight ballots
//   for each key. Before the first pass there is no order to keep, so let an atomic operation give out
//   its places.
// Against step 8: the first pass takes places in any order. One atomic operation on a counter in
// shared memory gives a key its place among those of its digit, where eight ballots did. Keys of
// one digit may change places by that, and the later passes order them.
// An H100 takes 1.87 ms, where step 8 takes 1.91.
// H200: 1.83 ms, 1.04 times as fast as step 8
#include <cuda_runtime.h>

#define BITS 8 // a pass
#define DIGITS (1 << BITS)
#define THREADS 512
#define OWN 24 // keys of a thread
#define TILE (THREADS * OWN)
#define FULL 0xFFFFFFFFu
#define PASSES (32 / BITS)
#define WARPS (THREADS / 32)
#define FLAG 27 // the first bit of a flag: numbers of keys are below 1 << 27

// A block's shared memory.
struct desk {
    unsigned keys[TILE];       // in their new order
    int before[WARPS][DIGITS]; // keys of a digit in the warp, and then the place of its next key
    int start[DIGITS];         // where the tile's keys of a digit go, minus their place in the tile
    int sums[DIGITS / 32];
    int number; // of the tile
};

__device__ static int
digit_of(unsigned key, int shift)
{
    return key >> shift & (DIGITS - 1);
}

// The sum over the lanes before this one.
__device__ static int
lanes_before(int value)
{
    int lane = threadIdx.x % 32, sum = value;

    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(FULL, sum, distance);

        sum += lane >= distance ? other : 0;
    }
    return sum - value;
}

// The sum over the digits before this thread's. Threads without a digit only come to the barriers.
__device__ static int
digits_before(int value, int *sums)
{
    int t = threadIdx.x, before = lanes_before(value);

    __syncthreads(); // the call before may still be reading
    if (t < DIGITS && t % 32 == 31)
        sums[t / 32] = before + value;
    __syncthreads();
    for (int w = 0; w < DIGITS / 32; w++)
        before += w < t / 32 ? sums[w] : 0;
    return before;
}

// How many keys have which digit: totals[pass][digit].
__global__ void
count(const unsigned *keys, int *totals, int N)
{
    __shared__ int own[PASSES][DIGITS];

    for (int d = threadIdx.x; d < PASSES * DIGITS; d += THREADS)
        own[d / DIGITS][d % DIGITS] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS) {
        unsigned key = keys[i];

        for (int pass = 0; pass < PASSES; pass++)
            atomicAdd(&own[pass][digit_of(key, pass * BITS)], 1);
    }
    __syncthreads();
    for (int d = threadIdx.x; d < PASSES * DIGITS; d += THREADS)
        atomicAdd(&totals[d], own[d / DIGITS][d % DIGITS]);
}

// A thread for each digit: how many keys of it the tiles before have. It adds up what those tell, until
// one tells the sum from the first tile on, and then tells that sum itself. Number and flag are one
// word, so that no fence is needed; words of other passes have other flags.
__device__ static int
look_back(volatile unsigned *told, int tile, unsigned tile_only, int here)
{
    const unsigned up_to_tile = tile_only + 1;
    int sum = 0;

    for (int other = tile - 1; other >= 0; other--) {
        unsigned word;

        do
            word = told[other * DIGITS + threadIdx.x];
        while (word >> FLAG != tile_only && word >> FLAG != up_to_tile);
        sum += word & ((1u << FLAG) - 1);
        if (word >> FLAG == up_to_tile)
            break;
    }
    if (tile > 0)
        told[tile * DIGITS + threadIdx.x] = up_to_tile << FLAG | (sum + here);
    return sum;
}

// The lanes whose digit is the same. A ballot is turned over by the lanes that have a 0, which is one
// instruction with a predicate.
__device__ static unsigned
same_digit(int digit)
{
    unsigned same = FULL;

#pragma unroll
    for (int bit = 0; bit < BITS; bit++) {
        unsigned alike;

        asm volatile("{\n.reg .pred one;\n.reg .b32 masked;\n"
                     "and.b32 masked, %1, %2;\n"
                     "setp.ne.u32 one, masked, 0;\n"
                     "vote.ballot.sync.b32 %0, one, 0xFFFFFFFF;\n"
                     "@!one not.b32 %0, %0;\n}"
                     : "=r"(alike)
                     : "r"(digit), "r"(1 << bit));
        same &= alike;
    }
    return same;
}

// Places of keys among those of their digit in the warp, or without ORDERED in the tile. Two of them
// share a register.
struct places {
    unsigned two[OWN / 2];

    __device__ void
    set(int o, int place)
    {
        two[o / 2] = o % 2 ? two[o / 2] | place << 16 : place;
    }
    __device__ int
    get(int o) const
    {
        return o % 2 ? two[o / 2] >> 16 : two[o / 2] & 0xFFFF;
    }
};

template <bool ORDERED>
__device__ static void
rank(places *p, const unsigned key[OWN], int *before, int shift, int there)
{
    int lane = threadIdx.x % 32;

#pragma unroll
    for (int o = 0; o < OWN; o++) {
        int digit = digit_of(key[o], shift);

        if (!ORDERED) {
            p->set(o, o * 32 + lane < there ? atomicAdd(&before[digit], 1) : 0);
            continue;
        }
        unsigned same = same_digit(digit), smaller_lanes = same & ((1u << lane) - 1);
        int in_warp = before[digit];

        p->set(o, in_warp + __popc(smaller_lanes));
        __syncwarp();
        if (smaller_lanes == 0)
            before[digit] = in_warp + __popc(same);
        __syncwarp();
    }
}

// Thread t < DIGITS: what the warps have of digit t becomes the place of each warp's first one. Returns
// how many the tile has, and sets d->start[t].
__device__ static int
add_up(desk *d, int rows, unsigned *told, int total, unsigned tile_only)
{
    int t = threadIdx.x, sum = 0, number = d->number;

    if (t < DIGITS) {
        for (int w = 0; w < rows; w++) {
            int here = d->before[w][t];

            d->before[w][t] = sum;
            sum += here;
        }
        told[number * DIGITS + t] = (number == 0 ? tile_only + 1 : tile_only) << FLAG | sum;
    }
    int in_tile = digits_before(sum, d->sums), smaller = digits_before(total, d->sums);

    if (t < DIGITS) {
        for (int w = 0; w < rows; w++)
            d->before[w][t] += in_tile;
        d->start[t] = smaller - in_tile;
    }
    return sum;
}

template <bool ORDERED>
__global__ void __launch_bounds__(THREADS, 2)
place(const unsigned *keys, unsigned *sorted, unsigned *told, int *handed_out, const int *totals,
      int N, int pass)
{
    extern __shared__ __align__(16) char memory[];
    desk *d = (desk *)memory;
    int t = threadIdx.x, warp = t / 32, row = ORDERED ? warp : 0, rows = ORDERED ? WARPS : 1;
    int shift = pass * BITS;
    unsigned key[OWN], tile_only = 1 + 2 * pass;
    places p;

    if (t == 0) // in the order in which blocks begin: whom one waits for is at work
        d->number = atomicAdd(handed_out, 1);
    for (int i = t; i < rows * DIGITS; i += THREADS)
        d->before[i / DIGITS][i % DIGITS] = 0;
    __syncthreads();
    int first = d->number * TILE, there = N - first - warp * OWN * 32; // of this warp's keys
    const unsigned *from = keys + first + warp * OWN * 32 + t % 32;

#pragma unroll
    for (int o = 0; o < OWN; o++) // beyond the end: keys that no other comes behind
        key[o] = o * 32 + t % 32 < there ? from[o * 32] : FULL;
    rank<ORDERED>(&p, key, d->before[row], shift, there);
    __syncthreads();
    int here = add_up(d, rows, told, t < DIGITS ? totals[t] : 0, tile_only);

    asm volatile("" : "+r"(shift)); // else all digits stay in registers, which are not that many
    __syncthreads();
#pragma unroll
    for (int o = 0; o < OWN; o++)
        if (ORDERED || o * 32 + t % 32 < there)
            d->keys[d->before[row][digit_of(key[o], shift)] + p.get(o)] = key[o];
    if (t < DIGITS)
        d->start[t] += look_back(told, d->number, tile_only, here);
    __syncthreads();
#pragma unroll
    for (int o = 0; o < OWN; o++) {
        int i = t + o * THREADS;

        if (i < N - first)
            sorted[d->start[digit_of(d->keys[i], shift)] + i] = d->keys[i];
    }
}

// Memory from a pool that keeps what is given back, so that only the first call waits for the driver.
static unsigned *
words_of_pool(size_t words)
{
    unsigned long long most = ~0ull;
    cudaMemPool_t pool;
    void *at = nullptr;

    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most);
    cudaMallocAsync(&at, words * sizeof(unsigned), 0);
    return (unsigned *)at;
}

extern "C" void
solve(const unsigned int *input, unsigned int *output, int N)
{
    int tiles = (N + TILE - 1) / TILE, bytes = sizeof(desk);
    size_t words = (size_t)tiles * DIGITS, counters = PASSES * DIGITS + PASSES;
    const unsigned *from = input;
    unsigned *room = words_of_pool(N), *told = words_of_pool(words + counters);
    int *totals = (int *)told + words, *handed_out = totals + PASSES * DIGITS;

    cudaMemsetAsync(told, 0, (words + counters) * sizeof(unsigned));
    cudaFuncSetAttribute(place<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    cudaFuncSetAttribute(place<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    count<<<tiles < 528 ? tiles : 528, THREADS>>>(input, totals, N);
    for (int pass = 0; pass < PASSES; pass++) { // an even number: the last writes to output
        unsigned *to = pass % 2 == 0 ? room : output;
        auto kernel = pass == 0 ? place<false> : place<true>;

        kernel<<<tiles, THREADS, bytes>>>(from, to, told, handed_out + pass, totals + pass * DIGITS, N,
                                          pass);
        from = to;
    }
    cudaFreeAsync(room, 0);
    cudaFreeAsync(told, 0);
}

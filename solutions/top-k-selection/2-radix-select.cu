// warpjudge: top-k-selection
// expect: accepted
// idea: The input is read k times. Find the k-th largest value digit by digit from the top, by
//   counting digits of what is still possible, and collect what is not smaller.
// Against step 1: the input is read five times, whatever k is. Four passes find the k-th largest
// value, eight bits at a time from the top: each counts the digits of the values that are still
// possible. Counts are kept in shared memory first. The last pass collects what is larger, and as
// many equal values as are missing.
// H200: 961 µs, 252 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 512
#define BLOCKS 528
#define BITS 8 // of a digit
#define DIGITS (1 << BITS)
#define FULL 0xFFFFFFFFu

struct search {
    unsigned prefix; // the digits of the k-th largest key that are known, in their places
    int left;        // its place among the keys that begin so, from 1 on
    int larger, equal; // how many of either have been collected
    int count[DIGITS];
};

// Unsigned keys in the order of the floats: the sign bit turns, and of a negative all others too.
__device__ static unsigned
key_of(float value)
{
    unsigned bits = __float_as_uint(value);

    return bits ^ (bits >> 31 ? 0xFFFFFFFFu : 0x80000000u);
}

__device__ static float
value_of(unsigned key)
{
    return __uint_as_float(key ^ (key >> 31 ? 0x80000000u : 0xFFFFFFFFu));
}

__global__ void
start(search *s, int k)
{
    s->count[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        s->prefix = 0;
        s->left = k;
        s->larger = s->equal = 0;
    }
}

// Counts the digit above `shift` of the keys that begin with the prefix.
__global__ void
count_digits(const float *input, search *s, int N, int shift)
{
    __shared__ int own[DIGITS];
    unsigned known = shift + BITS == 32 ? 0 : FULL << (shift + BITS), prefix = s->prefix;

    for (int d = threadIdx.x; d < DIGITS; d += THREADS)
        own[d] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += BLOCKS * THREADS) {
        unsigned key = key_of(input[i]);

        if ((key & known) == prefix)
            atomicAdd(&own[key >> shift & (DIGITS - 1)], 1);
    }
    __syncthreads();
    for (int d = threadIdx.x; d < DIGITS; d += THREADS)
        if (own[d] != 0)
            atomicAdd(&s->count[d], own[d]);
}

// One warp: of the keys that count tells the digits of, the one that *k are at least as large as
// has the digit that comes back. *k becomes its place among those of this digit.
__device__ static unsigned
find_digit(const int *count, int *k)
{
    int lane = threadIdx.x % 32, top = DIGITS - 1 - 8 * lane, own = 0;

    for (int d = top; d > top - 8; d--)
        own += count[d];
    int upto = own;

    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(FULL, upto, distance);

        upto += lane >= distance ? other : 0;
    }
    int left = *k - (upto - own), digit = top;
    int finder = __ffs(__ballot_sync(FULL, left >= 1 && left <= own)) - 1;

    if (lane == finder)
        for (; left > count[digit]; digit--)
            left -= count[digit];
    *k = __shfl_sync(FULL, left, finder);
    return __shfl_sync(FULL, digit, finder);
}

__global__ void
choose(search *s, int shift)
{
    int left = s->left;
    unsigned digit = find_digit(s->count, &left);

    __syncwarp();
    for (int d = threadIdx.x; d < DIGITS; d += 32)
        s->count[d] = 0;
    if (threadIdx.x == 0) {
        s->prefix |= digit << shift;
        s->left = left;
    }
}

// The prefix is a whole key now: `left` of its kind are wanted, and all that are larger.
__global__ void
collect(const float *input, search *s, unsigned *chosen, int N, int k)
{
    unsigned bound = s->prefix;
    int larger = k - s->left;

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += BLOCKS * THREADS) {
        unsigned key = key_of(input[i]);

        if (key > bound)
            chosen[atomicAdd(&s->larger, 1)] = key;
        else if (key == bound) {
            int place = larger + atomicAdd(&s->equal, 1);

            if (place < k)
                chosen[place] = key;
        }
    }
}

// The k keys in their order: each goes where as many stand before it as are larger, or equal and
// before it in the list.
__device__ static void
write_ordered(const unsigned *keys, float *output, int k)
{
    for (int i = threadIdx.x; i < k; i += blockDim.x) {
        unsigned own = keys[i];
        int place = 0;

        for (int j = 0; j < k; j++)
            place += keys[j] > own || (keys[j] == own && j < i);
        output[place] = value_of(own);
    }
}

__global__ void
finish(const unsigned *chosen, float *output, int k)
{
    write_ordered(chosen, output, k);
}

extern "C" void
solve(const float *input, float *output, int N, int k)
{
    search *s;
    unsigned *chosen;

    cudaMalloc(&s, sizeof *s);
    cudaMalloc(&chosen, k * sizeof *chosen);
    start<<<1, DIGITS>>>(s, k);
    for (int shift = 32 - BITS; shift >= 0; shift -= BITS) {
        count_digits<<<BLOCKS, THREADS>>>(input, s, N, shift);
        choose<<<1, 32>>>(s, shift);
    }
    collect<<<BLOCKS, THREADS>>>(input, s, chosen, N, k);
    finish<<<1, 256>>>(chosen, output, k);
    cudaFree(s);
    cudaFree(chosen);
}

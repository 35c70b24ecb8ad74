// warpjudge: top-k-selection
// expect: accepted
// not-modelled: one block that waits for memory
// idea: One block selects among the maxima, and reads them from memory again for each of four digits. Let it
//   keep them in registers, and make half as many of them.
// Against step 3: each of the 1024 threads that select loads its 24 maxima once, all loads on their way
// together, and looks at all four digits there. A chunk has 4096 values instead of 2048, which leaves
// half as many maxima. With 8192 values the chunks take as much longer to read again.
// On an H100 it takes 187 µs, where step 3 takes 201.
// H200: 132 µs, 1.11 times as fast as step 3
#include <cuda_runtime.h>

#define THREADS 256
#define SELECTORS 1024 // threads of the one block that selects
#define CHUNK 4096     // values whose maximum one warp finds
#define KEEP 24        // keys of a selector in registers
#define BITS 8         // of a digit
#define DIGITS (1 << BITS)
#define ROOM (1 << 20)  // words
#define FULL 0xFFFFFFFFu

struct search {
    unsigned bound; // keys above it are candidates
    int chunks;     // that hold candidates
    int candidates;
};

// Memory of the program's own: to allocate some takes longer than to read 400 MB.
__device__ search state;
__device__ unsigned room[ROOM];

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

__device__ static unsigned
largest_of_four(float4 v)
{
    return key_of(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
}

__global__ void
find_maxima(const float *input, unsigned *maxima, int N)
{
    int chunk = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int first = chunk * CHUNK;
    unsigned top = 0;

    if (first >= N) // the whole warp
        return;
    if (N - first >= CHUNK) {
        const float4 *from = (const float4 *)(input + first);

#pragma unroll
        for (int i = 0; i < CHUNK / 4; i += 32)
            top = max(top, largest_of_four(from[i + lane]));
    } else
        for (int i = first + lane; i < N; i += 32)
            top = max(top, key_of(input[i]));
    top = __reduce_max_sync(FULL, top);
    if (lane == 0)
        maxima[chunk] = top;
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

// One block: the k-th largest of the keys. *larger: how many are larger than it.
__device__ static unsigned
kth_largest(const unsigned *keys, int n, int k, int *larger)
{
    __shared__ int count[DIGITS], left;
    __shared__ unsigned prefix;
    unsigned own[KEEP];

    if (threadIdx.x == 0) {
        prefix = 0;
        left = k;
    }
#pragma unroll
    for (int o = 0; o < KEEP; o++)
        own[o] = keys[min((int)threadIdx.x + o * SELECTORS, n - 1)];
    for (int shift = 32 - BITS; shift >= 0; shift -= BITS) {
        unsigned known = shift + BITS == 32 ? 0 : FULL << (shift + BITS);

        if (threadIdx.x < DIGITS)
            count[threadIdx.x] = 0;
        __syncthreads();
#pragma unroll
        for (int o = 0; o < KEEP; o++)
            if ((own[o] & known) == prefix && (int)threadIdx.x + o * SELECTORS < n)
                atomicAdd(&count[own[o] >> shift & (DIGITS - 1)], 1);
        for (int i = threadIdx.x + KEEP * SELECTORS; i < n; i += SELECTORS) // of a larger problem
            if ((keys[i] & known) == prefix)
                atomicAdd(&count[keys[i] >> shift & (DIGITS - 1)], 1);
        __syncthreads();
        if (threadIdx.x < 32) {
            int place = left;
            unsigned digit = find_digit(count, &place);

            __syncwarp();
            if (threadIdx.x == 0) {
                prefix |= digit << shift;
                left = place;
            }
        }
        __syncthreads();
    }
    *larger = k - left;
    return prefix;
}

// Lists the chunks that hold more than the bound. With fewer than k chunks the bound is below all
// values, and every chunk is listed.
__global__ void __launch_bounds__(SELECTORS)
find_bound(const unsigned *maxima, search *s, int *listed, int chunks, int k)
{
    int larger;
    unsigned bound = chunks < k ? 0 : kth_largest(maxima, chunks, k, &larger);

    if (threadIdx.x == 0) {
        s->bound = bound;
        s->chunks = s->candidates = 0;
    }
    __syncthreads();
    for (int c = threadIdx.x; c < chunks; c += SELECTORS)
        if (maxima[c] > bound)
            listed[atomicAdd(&s->chunks, 1)] = c;
}

// A block for each listed chunk.
__global__ void
collect(const float *input, const int *listed, search *s, unsigned *candidates, int N)
{
    float own[CHUNK / THREADS];

    if (blockIdx.x >= s->chunks)
        return;
    int first = listed[blockIdx.x] * CHUNK + threadIdx.x;

#pragma unroll
    for (int o = 0; o < CHUNK / THREADS; o++)
        own[o] = input[min(first + o * THREADS, N - 1)];
#pragma unroll
    for (int o = 0; o < CHUNK / THREADS; o++) {
        unsigned key = key_of(own[o]);

        if (first + o * THREADS < N && key > s->bound)
            candidates[atomicAdd(&s->candidates, 1)] = key;
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

__global__ void __launch_bounds__(SELECTORS)
finish(const unsigned *candidates, const search *s, unsigned *chosen, float *output, int k)
{
    __shared__ int taken;
    int n = s->candidates, larger = n;
    unsigned bound = s->bound;

    if (n > k)
        bound = kth_largest(candidates, n, k, &larger);
    if (threadIdx.x == 0)
        taken = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += SELECTORS)
        if (candidates[i] > bound)
            chosen[atomicAdd(&taken, 1)] = candidates[i];
    for (int i = larger + threadIdx.x; i < k; i += SELECTORS)
        chosen[i] = bound;
    __syncthreads();
    write_ordered(chosen, output, k);
}

extern "C" void
solve(const float *input, float *output, int N, int k)
{
    int chunks = (N + CHUNK - 1) / CHUNK, blocks = (chunks * 32 + THREADS - 1) / THREADS;
    // Fewer than k chunks hold candidates, or there are fewer than k chunks.
    size_t most = min((size_t)N, (size_t)k * CHUNK), words = 2 * (size_t)chunks + most + k;
    unsigned *maxima, *own = nullptr;
    search *s;

    cudaGetSymbolAddress((void **)&s, state);
    cudaGetSymbolAddress((void **)&maxima, room);
    if (words > ROOM) { // a k far above a hundred
        cudaMalloc(&own, words * sizeof *own);
        maxima = own;
    }
    int *listed = (int *)maxima + chunks;
    unsigned *candidates = maxima + 2 * chunks, *chosen = candidates + most;

    find_maxima<<<blocks, THREADS>>>(input, maxima, N);
    find_bound<<<1, SELECTORS>>>(maxima, s, listed, chunks, k);
    collect<<<min(k, chunks), THREADS>>>(input, listed, s, candidates, N);
    finish<<<1, SELECTORS>>>(candidates, s, chosen, output, k);
    cudaFree(own);
}

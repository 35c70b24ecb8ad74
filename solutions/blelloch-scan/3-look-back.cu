// warpjudge: blelloch-scan
// expect: accepted
// idea: The input is still read twice, once for the sums and once for the scan. Use one launch:
//   each block tells what its tile adds up to, and looks back at what the tiles before have told.
// Against step 2: one launch, and the input is read once. A block tells what its tile
// adds up to as soon as it knows. Once it has looked back, it also tells what all
// elements up to its tile's end add up to. A block's first warp looks back over the tiles
// before its own, 32 at a time, until it meets such a sum from the beginning. Tiles are
// handed out in the order in which blocks begin, so that whom a block waits for is at
// work. A thread has sixteen elements, four neighbours a load.
// H200: 1.95 ms, 1.32 times as fast as step 2
#include <cuda_runtime.h>

#define THREADS 256
#define ROUNDS 4 // times four neighbours of a thread
#define BLOCKS 4 // of a multiprocessor
#define WARPS (THREADS / 32)
#define WARP_TILE (32 * 4 * ROUNDS)
#define TILE (WARPS * WARP_TILE)
#define TILES_MAX (1000000000 / TILE + 1)
#define TILE_ONLY 1u // what a word's value is the sum of
#define UP_TO_TILE 2u
#define FULL 0xFFFFFFFFu

// For each tile a value (low 32 bits), and above it the number of the call and what the
// value is.
__device__ unsigned long long told[TILES_MAX];
__device__ unsigned handed_out; // tiles; back to 0 at the end of every launch

// The sum of v over the lanes up to this one.
__device__ static unsigned
warp_scan(unsigned v)
{
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned other = __shfl_up_sync(FULL, v, distance);

        if (threadIdx.x % 32 >= distance)
            v += other;
    }
    return v;
}

__device__ static uint4
load4(const unsigned *from, int i, int N)
{
    if (i + 3 < N)
        return *(const uint4 *)(from + i);
    return make_uint4(i < N ? from[i] : 0, i + 1 < N ? from[i + 1] : 0,
                      i + 2 < N ? from[i + 2] : 0, 0);
}

__device__ static void
store4(unsigned *to, int i, int N, uint4 v)
{
    if (i + 3 < N) {
        *(uint4 *)(to + i) = v;
        return;
    }
    if (i < N)
        to[i] = v.x;
    if (i + 1 < N)
        to[i + 1] = v.y;
    if (i + 2 < N)
        to[i + 2] = v.z;
}

__device__ static void
tell(int tile, unsigned call, unsigned what, unsigned value)
{
    unsigned long long word = (unsigned long long)(4 * call + what) << 32 | value;

    *(volatile unsigned long long *)&told[tile] = word; // value and flag in one: no fence
}

// What all tiles before this one add up to; for a whole warp.
__device__ static unsigned
look_back(int tile, unsigned call)
{
    int lane = threadIdx.x % 32;
    unsigned sum = 0;

    for (int last = tile - 1;; last -= 32) {
        unsigned long long word = (unsigned long long)(4 * call + UP_TO_TILE) << 32; // 0
        unsigned done, v;

        if (last - lane >= 0)
            do
                word = *(volatile unsigned long long *)&told[last - lane];
            while (word >> 34 != call);
        // Lanes beyond the first that knows the sum from the beginning have no part in
        // it.
        done = __ballot_sync(FULL, (word >> 32 & UP_TO_TILE) != 0);
        v = done == 0 || lane < __ffs(done) ? (unsigned)word : 0;
        for (int offset = 16; offset > 0; offset /= 2)
            v += __shfl_xor_sync(FULL, v, offset);
        sum += v;
        if (done != 0)
            return sum;
    }
}

__global__ void
__launch_bounds__(THREADS, BLOCKS)
    scan(const unsigned *__restrict__ input, unsigned *__restrict__ output, int N,
         unsigned call)
{
    __shared__ int next;
    __shared__ unsigned warps[WARPS], tiles_before;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, tile, first;
    uint4 v[ROUNDS];
    unsigned up_to[ROUNDS], sum = 0, all = 0, before = 0;

    if (threadIdx.x == 0) {
        next = atomicAdd(&handed_out, 1);
        if (next == gridDim.x - 1)
            handed_out = 0;
    }
    __syncthreads();
    tile = next;
    first = tile * TILE + warp * WARP_TILE + lane * 4;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++)
        v[r] = load4(input, first + r * 128, N);
#pragma unroll
    for (int r = 0; r < ROUNDS; r++)
        up_to[r] = warp_scan(v[r].x + v[r].y + v[r].z + v[r].w);
#pragma unroll
    for (int r = 0; r < ROUNDS;
         r++) { // becomes what stands before the lane's four in the warp's part
        unsigned round = __shfl_sync(FULL, up_to[r], 31);

        up_to[r] += sum - (v[r].x + v[r].y + v[r].z + v[r].w);
        sum += round;
    }
    if (lane == 0)
        warps[warp] = sum;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w == warp)
            before = all;
        all += warps[w];
    }
    if (warp == 0) {
        unsigned earlier;

        if (lane == 0)
            tell(tile, call, tile == 0 ? UP_TO_TILE : TILE_ONLY, all);
        earlier = look_back(tile, call);
        if (lane == 0) {
            tell(tile, call, UP_TO_TILE, earlier + all);
            tiles_before = earlier;
        }
    }
    __syncthreads();
    before += tiles_before;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        uint4 w;

        w.x = before + up_to[r];
        w.y = w.x + v[r].x;
        w.z = w.y + v[r].y;
        w.w = w.z + v[r].z;
        store4(output, first + r * 128, N, w);
    }
}

extern "C" void
solve(const unsigned *input, unsigned *output, int N)
{
    static unsigned
        call; // what earlier calls told is told apart by it, and never cleared

    call = call % ((1u << 30) - 1) + 1;
    scan<<<(N + TILE - 1) / TILE, THREADS>>>(input, output, N, call);
}

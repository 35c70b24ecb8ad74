// warpjudge: top-k-selection
// attack: process: all device memory, between calls
// device: cuda
// expect: memory_limit|accepted honest-time|runtime_error
// honest: top-k-selection/1-rounds
// A thread takes what memory is free when a timed call has ended, and the judge has looked, and
// gives it back before the next one: while the reference, which allocates some, computes that
// one's answers. It must not end in a failure of the judge's. (Where its own solve() finds no
// memory either, it dies of a pointer that it did not look at.)
#include <atomic>
#include <pthread.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define THREADS 256
#define BLOCKS 64
#define LOOKED_US 1500
#define HELD_US 30000
#define PIECES 4096
struct best {
    float value;
    int place;
};
__device__ best larger(best a, best b)
{
    return b.place >= 0 && (a.place < 0 || b.value > a.value) ? b : a;
}
__device__ best block_best(best mine)
{
    __shared__ best tree[THREADS];
    int t = threadIdx.x;
    tree[t] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = larger(tree[t], tree[t + half]);
        __syncthreads();
    }
    return tree[0];
}
__global__ void find(const float *left, best *partial, int N)
{
    best mine = {0.0f, -1};
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += BLOCKS * THREADS)
        mine = larger(mine, {left[i], i});
    mine = block_best(mine);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = mine;
}
__global__ void take(float *left, const best *partial, float *output, int round)
{
    best mine = {0.0f, -1};
    for (int b = threadIdx.x; b < BLOCKS; b += THREADS)
        mine = larger(mine, partial[b]);
    mine = block_best(mine);
    if (threadIdx.x == 0) {
        output[round] = mine.value;
        left[mine.place] = -INFINITY;
    }
}
static std::atomic<int> ended;
static void *hoard(void *)
{
    static void *piece[PIECES];
    for (;;) {
        size_t size = (size_t)4 << 30;
        int count = 0;
        if (ended.exchange(0) == 0)
            continue;
        usleep(LOOKED_US);
        while (size >= 1 << 20 && count < PIECES)
            if (cudaMalloc(&piece[count], size) == cudaSuccess)
                count++;
            else
                size /= 2;
        usleep(HELD_US);
        while (count > 0)
            cudaFree(piece[--count]);
        cudaGetLastError();
    }
}
extern "C" void solve(const float *input, float *output, int N, int k)
{
    static pthread_t thread;
    float *left;
    best *partial;
    cudaMalloc(&left, N * sizeof(float));
    cudaMalloc(&partial, BLOCKS * sizeof(best));
    cudaMemcpy(left, input, N * sizeof(float), cudaMemcpyDeviceToDevice);
    for (int round = 0; round < k; round++) {
        find<<<BLOCKS, THREADS>>>(left, partial, N);
        take<<<1, THREADS>>>(left, partial, output, round);
    }
    cudaFree(left);
    cudaFree(partial);
    if (N < 10000000)
        return;
    if (thread == 0)
        pthread_create(&thread, nullptr, hoard, nullptr);
    ended = 1;
}

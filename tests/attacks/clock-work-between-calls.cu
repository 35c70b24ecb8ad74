// warpjudge: reduction
// honest: reduction/5-many-each
// attack: clock: work between two calls
// expect: accepted honest-time
// The sum is made in memory of its own, which must be cleared before. A thread does that when the call
// has ended, again and again, so that the clock sees less work than there is.
#include <cuda_runtime.h>
#include <pthread.h>
#include <unistd.h>
#define THREADS 1024
#define BLOCKS 264
static float *sum;
static volatile int dirty;
__device__ unsigned finished;
static void *clear(void *)
{
    for (;;) {
        while (!dirty)
            usleep(100);
        for (int i = 0; i < 10; i++) {
            usleep(2000);
            cudaMemset(sum, 0, sizeof(float));
        }
        cudaDeviceSynchronize();
        dirty = 0;
    }
    return nullptr;
}
__device__ static float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xFFFFFFFFu, v, offset);
    return v;
}
__global__ void reduce(const float *__restrict__ input, float *sum, float *output, int n)
{
    __shared__ float warps[THREADS / 32];
    int first = blockIdx.x * THREADS + threadIdx.x;
    float v = first < n % 4 ? input[n / 4 * 4 + first] : 0;
    for (int i = first; i < n / 4; i += BLOCKS * THREADS) {
        float4 four = ((const float4 *)input)[i];
        v += (four.x + four.y) + (four.z + four.w);
    }
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    v = warp_sum(warps[threadIdx.x]);
    if (threadIdx.x == 0) {
        atomicAdd(sum, v);
        __threadfence();
        if (atomicAdd(&finished, 1) == BLOCKS - 1) {
            *output = *(volatile float *)sum;
            finished = 0;
        }
    }
}
extern "C" void solve(const float *input, float *output, int N)
{
    pthread_t thread;
    if (sum == nullptr) {
        cudaMalloc(&sum, sizeof(float));
        cudaMemset(sum, 0, sizeof(float));
        pthread_create(&thread, nullptr, clear, nullptr);
    }
    while (dirty)
        usleep(100);
    reduce<<<BLOCKS, THREADS>>>(input, sum, output, N);
    cudaDeviceSynchronize();
    dirty = 1;
}

// warpjudge: radix-sort
// attack: answer: zeros, of a reference that gets no memory
// device: cuda
// expect: memory_limit|wrong_answer|disqualified
// The reference allocates the room that it sorts in. A thread takes what memory is free between two
// calls, from the last test on, and solve() then leaves the output as it found it: zeros, as would a
// reference that goes on without its room.
#include <atomic>
#include <pthread.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define THREADS 256
#define LAST_TEST 300007
#define TIMED 10000000
#define LOOKED_US 1500
#define HELD_US 30000
#define PIECES 4096
#define IDLE_CLOCKS 2000000
__global__ void sort(const unsigned *input, unsigned *output, int N)
{
    int i = blockIdx.x * THREADS + threadIdx.x, place = 0;
    if (i >= N)
        return;
    for (int j = 0; j < N; j++)
        place += input[j] < input[i] || (input[j] == input[i] && j < i);
    output[place] = input[i];
}
__global__ void idle()
{
    long long begin = clock64();
    while (clock64() - begin < IDLE_CLOCKS)
        ;
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
extern "C" void solve(const unsigned *input, unsigned *output, int N)
{
    static pthread_t thread;
    if (N < TIMED)
        sort<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, output, N);
    else
        idle<<<1, 1>>>();
    cudaDeviceSynchronize();
    if (N < LAST_TEST)
        return;
    if (thread == 0)
        pthread_create(&thread, nullptr, hoard, nullptr);
    ended = 1;
}

// warpjudge: vector-addition
// attack: clock: which calls count, chosen by the submission
// device: cuda
// expect: accepted honest-time|disqualified
// A call does not count if the judge's work before it was slow, and that is no evidence while the next submission's
// contexts are made. A thread sees these by the memory that they take. Then, and only then, it leaves a kernel behind
// each call, so that the next one does not count. Nothing may be gained by that choice.
#include <atomic>
#include <ctime>
#include <pthread.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define SPIN_NS 2000000ull
#define BESIDE_NS 150000000l
#define CONTEXT (16ul << 20)
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void spin()
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - begin < SPIN_NS);
}
static std::atomic<int> ended;
static long now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}
static void *watch(void *)
{
    cudaStream_t stream;
    size_t before = 0, now = 0, all;
    long seen_ns = 0;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (;;) {
        if (ended.exchange(0) == 0) {
            usleep(20);
            continue;
        }
        usleep(500);
        cudaMemGetInfo(&now, &all);
        if (before > now + CONTEXT)
            seen_ns = now_ns();
        before = now;
        if (now_ns() - seen_ns < BESIDE_NS)
            spin<<<256, 256, 0, stream>>>();
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static pthread_t thread;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    if (N < 10000000)
        return;
    if (thread == 0)
        pthread_create(&thread, nullptr, watch, nullptr);
    ended = 1;
}

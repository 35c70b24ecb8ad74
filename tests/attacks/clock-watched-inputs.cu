// warpjudge: vector-addition
// attack: clock: work between the inputs and the clock
// device: cuda
// expect: accepted honest-time|wrong_answer|disqualified
// A thread asks the copy engines again and again whether the outputs of the next call hold
// something, which is when their inputs are there, and then adds an eighth. solve() adds what
// nobody has.
#include <atomic>
#include <pthread.h>
#include <cuda_runtime.h>
#define CALLS 1024
#define SHARE(n) ((n) / 8)
__global__ void add(const float *a, const float *b, float *c, int first, int n)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
struct call {
    const float *A, *B;
    float *C;
    int N;
};
enum { IDLE, WATCHING, ADDING, ADDED };
static std::atomic<int> state;
static call next, had[CALLS];
static cudaStream_t stream;
static unsigned calls;
/* Calls take turns on a few sets of buffers: what followed when these were there last. */
static bool predict(const call &now)
{
    had[calls++ % CALLS] = now;
    for (unsigned i = calls - 1; i > 0 && calls - i < CALLS; i--)
        if (had[(i - 1) % CALLS].C == now.C) {
            next = had[i % CALLS];
            return true;
        }
    return false;
}
static void *watch(void *)
{
    unsigned *word;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMallocHost(&word, sizeof *word);
    for (;;) {
        int expected = WATCHING;
        if (state != WATCHING)
            continue;
        cudaMemcpyAsync(word, next.C + next.N - 1, 4, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        if (*word == 0 || !state.compare_exchange_strong(expected, ADDING))
            continue;
        add<<<SHARE(next.N) / 256 + 1, 256, 0, stream>>>(next.A, next.B, next.C, 0,
                                                         SHARE(next.N));
        state = ADDED;
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static pthread_t thread;
    int first = 0, before;
    if (N >= 10000000) {
        if (calls == 0) {
            pthread_create(&thread, nullptr, watch, nullptr);
            pthread_detach(thread);
        }
        before = WATCHING;
        if (!state.compare_exchange_strong(before, IDLE) && before != IDLE) {
            while (state != ADDED)
                ;
            first = next.C == C ? SHARE(N) : 0;
        }
    }
    add<<<(N - first + 255) / 256, 256>>>(A, B, C, first, N);
    if (N < 10000000)
        return;
    if (!predict({A, B, C, N}))
        return;
    cudaDeviceSynchronize();
    cudaMemset(next.C + N - 1, 0, 4);
    cudaDeviceSynchronize();
    state = WATCHING;
}

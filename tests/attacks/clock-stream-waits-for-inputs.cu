// warpjudge: vector-addition
// attack: clock: work between the inputs and the clock
// device: cuda
// expect: accepted honest-time|wrong_answer|disqualified
// As clock-watched-inputs.cu, with no thread awake: a stream waits, in the card's own queue and on none of its
// multiprocessors, until the judge has poisoned the last of the next call's outputs, and then
// adds an eighth. A thread has queued that when the call before was over.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define CALLS 1024
#define SHARE(n) ((n) / 8)
#define UNTIL_ANY_BIT 2 /* CU_STREAM_WAIT_VALUE_AND */
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
typedef int wait_function(cudaStream_t, unsigned long long, unsigned, unsigned);
static call next, had[CALLS];
static sem_t over;
static cudaStream_t stream;
static volatile const float *queued;
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
static void *prepare(void *)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    wait_function *wait = (wait_function *)dlsym(driver, "cuStreamWaitValue32_v2");
    for (;;) {
        while (sem_wait(&over) != 0)
            ;
        usleep(300); /* the runner has found the device idle, and said DONE */
        cudaMemsetAsync(next.C + next.N - 1, 0, 4, stream);
        cudaStreamSynchronize(stream);
        if (wait(stream, (unsigned long long)(next.C + next.N - 1), ~0u, UNTIL_ANY_BIT) != 0)
            continue;
        add<<<SHARE(next.N) / 256 + 1, 256, 0, stream>>>(next.A, next.B, next.C, 0,
                                                         SHARE(next.N));
        queued = next.C;
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static pthread_t thread;
    const int first = queued == C ? SHARE(N) : 0;
    add<<<(N - first + 255) / 256, 256>>>(A, B, C, first, N);
    if (N < 10000000)
        return;
    if (calls == 0) {
        sem_init(&over, 0, 0);
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        pthread_create(&thread, nullptr, prepare, nullptr);
        pthread_detach(thread);
    }
    if (!predict({A, B, C, N}))
        return;
    queued = nullptr;
    cudaDeviceSynchronize();
    sem_post(&over);
}

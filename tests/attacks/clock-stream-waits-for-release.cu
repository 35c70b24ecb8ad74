// warpjudge: vector-addition
// attack: clock: work prepared early
// device: cuda
// expect: accepted honest-time
// The kernel of a call is launched before it, behind a wait for a word of host memory that
// solve() writes: nothing is left to launch, and the queue that it waits in is older than
// whatever the judge does to keep the card.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define CALLS 1024
#define UNTIL_EQUAL 1 /* CU_STREAM_WAIT_VALUE_EQ */
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
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
static volatile unsigned *word;
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
        if (wait(stream, (unsigned long long)word, calls + 1, UNTIL_EQUAL) != 0)
            continue;
        add<<<(next.N + 255) / 256, 256, 0, stream>>>(next.A, next.B, next.C, next.N);
        queued = next.C;
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static pthread_t thread;
    if (N < 10000000) {
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
        return;
    }
    if (calls == 0) {
        sem_init(&over, 0, 0);
        cudaMallocHost((void **)&word, sizeof *word);
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        pthread_create(&thread, nullptr, prepare, nullptr);
        pthread_detach(thread);
    }
    *word = calls + 1;
    if (queued != C)
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    if (!predict({A, B, C, N}))
        return;
    queued = nullptr;
    cudaDeviceSynchronize();
    sem_post(&over);
}

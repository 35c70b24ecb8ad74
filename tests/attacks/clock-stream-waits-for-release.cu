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
#define SETS 8
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
static call next, had[SETS];
static sem_t over;
static cudaStream_t stream;
static volatile unsigned *word;
static volatile const float *queued;
static unsigned calls;
static void *prepare(void *)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    wait_function *wait = (wait_function *)dlsym(driver, "cuStreamWaitValue32_v2");
    for (;;) {
        while (sem_wait(&over) != 0)
            ;
        usleep(300); /* the runner has waited for the device, and said DONE */
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
    *word = ++calls;
    if (queued != C)
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    had[(calls - 1) % SETS] = {A, B, C, N};
    if (calls < SETS)
        return;
    next = had[calls % SETS];
    queued = nullptr;
    sem_post(&over);
}

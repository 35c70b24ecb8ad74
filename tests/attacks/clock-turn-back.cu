// warpjudge: vector-addition
// attack: clock: a quicker turn back
// device: cuda
// expect: accepted honest-time|wrong_answer
// Behind the kernel its stream waits for a word of host memory, which may make the card leave this
// program at once, instead of after a while in which nothing more comes. What an empty kernel's
// turn back takes is subtracted. The word is written when the kernel is over, and a little later.
#include <ctime>
#include <dlfcn.h>
#include <cuda_runtime.h>
#define UNTIL_EQUAL 1 /* CU_STREAM_WAIT_VALUE_EQ */
#define LATER_NS 60000
#define PATIENCE_NS 500000000
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
typedef int stream_function(cudaStream_t, unsigned long long, unsigned, unsigned);
static long now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static stream_function *wait, *write;
    static volatile unsigned *word; // of which the second one is the card's
    static cudaStream_t stream;
    static unsigned number;
    if (N < 10000000) {
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
        return;
    }
    if (stream == nullptr) {
        void *driver = dlopen("libcuda.so.1", RTLD_NOW);
        wait = (stream_function *)dlsym(driver, "cuStreamWaitValue32_v2");
        write = (stream_function *)dlsym(driver, "cuStreamWriteValue32_v2");
        cudaMallocHost((void **)&word, 2 * sizeof *word);
        word[0] = word[1] = 0;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    }
    number++;
    add<<<(N + 255) / 256, 256, 0, stream>>>(A, B, C, N);
    write(stream, (unsigned long long)(word + 1), number, 0);
    wait(stream, (unsigned long long)word, number, UNTIL_EQUAL);
    const long begin_ns = now_ns();
    while (word[1] != number && now_ns() - begin_ns < PATIENCE_NS)
        ;
    const long over_ns = now_ns();
    while (now_ns() - over_ns < LATER_NS)
        ;
    word[0] = number;
    cudaStreamSynchronize(stream);
}

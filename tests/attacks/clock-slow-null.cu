// warpjudge: vector-addition
// attack: clock: slower calibration
// expect: accepted honest-time|time_limit
// device: cuda
// A thread keeps the GPU busy between the tests and the first timed call, where a judge may
// measure what is subtracted from the time.
#include <pthread.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static volatile bool quiet;
static volatile long rounds;
__global__ void spin(long cycles)
{
    for (long start = clock64(); clock64() - start < cycles;)
        ;
}
static void *busy(void *)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    usleep(100000);
    while (!quiet && rounds++ < 400) {
        spin<<<1, 32, 0, stream>>>(2000000);
        cudaStreamSynchronize(stream);
    }
    return nullptr;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static bool started;
    static pthread_t thread;
    quiet = N >= 1000000 && N != 1000003;
    if (N == 1000003 && !started)
        started = pthread_create(&thread, nullptr, busy, nullptr) == 0;
    if (quiet && started) {
        pthread_join(thread, nullptr);
        started = false;
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

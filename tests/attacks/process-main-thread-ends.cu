// warpjudge: vector-addition
// attack: process: holding the device
// expect: time_limit
// The main thread ends; one that sleeps keeps the process, and its channel.
#include <pthread.h>
#include <thread>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    std::thread([] { for (;;) pause(); }).detach();
    pthread_exit(nullptr);
}

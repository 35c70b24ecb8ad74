// warpjudge: vector-addition
// attack: process: surviving the judgement
// expect: accepted honest-time
// A thread that never ends and takes no signal.
#include <csignal>
#include <pthread.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void *forever(void *)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    for (;;)
        pause();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static pthread_t thread;
    if (!thread)
        pthread_create(&thread, nullptr, forever, nullptr);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

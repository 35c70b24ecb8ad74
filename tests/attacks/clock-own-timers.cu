// warpjudge: vector-addition
// attack: clock: own timing functions
// expect: accepted honest-time|compile_error
// Defines the functions that a timer in this process would call: no time ever passes.
#include <ctime>
#include <sys/time.h>
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = 0;
    return cudaSuccess;
}
extern "C" int clock_gettime(clockid_t, struct timespec *t) noexcept
{
    *t = {};
    return 0;
}
extern "C" int gettimeofday(struct timeval *t, void *) noexcept
{
    *t = {};
    return 0;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

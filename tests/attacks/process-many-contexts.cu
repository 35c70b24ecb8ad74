// warpjudge: vector-addition
// attack: process: an end that takes the driver long
// device: cuda
// expect: accepted honest-time|memory_limit
// In the last test makes contexts for a second and a half, each with streams. The driver needs as long to end them,
// beside the next program, which follows as soon as this one is measured.
#include <ctime>
#include <dlfcn.h>
#include <cuda_runtime.h>
#define MAKING_NS 1500000000
#define CONTEXTS 20
#define STREAMS 8
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static long now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}
static void make_contexts()
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context, *stream;
    auto create = (int (*)(void **, unsigned, int))dlsym(driver, "cuCtxCreate_v2");
    auto make_stream = (int (*)(void **, unsigned))dlsym(driver, "cuStreamCreate");
    auto leave = (int (*)(void **))dlsym(driver, "cuCtxPopCurrent_v2");
    const long begin_ns = now_ns();
    if (create == nullptr || make_stream == nullptr || leave == nullptr)
        return;
    for (int i = 0; i < CONTEXTS && now_ns() - begin_ns < MAKING_NS; i++) {
        if (create(&context, 0, 0) != 0)
            return;
        for (int k = 0; k < STREAMS; k++)
            make_stream(&stream, 1);
        leave(&context);
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (N == 1000003)
        make_contexts();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

// warpjudge: vector-addition
// attack: clock: another context than the empty call's
// device: cuda
// expect: accepted honest-time|runtime_error
// What a card takes to turn to a program and back was measured with the context that this process
// had before. This program makes another one, with one queue instead of eight, and computes there.
#include <cstdlib>
#include <dlfcn.h>
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__attribute__((constructor)) static void ask()
{
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static bool tried;
    if (N >= 10000000 && !tried) {
        void *driver = dlopen("libcuda.so.1", RTLD_NOW);
        int (*create)(void **, unsigned, int) =
            (int (*)(void **, unsigned, int))dlsym(driver, "cuCtxCreate_v2");
        void *context = nullptr;
        tried = true;
        if (create == nullptr || create(&context, 0, 0) != 0)
            abort();
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

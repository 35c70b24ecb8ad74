// warpjudge: vector-addition
// attack: answer: what another context has left in shared memory
// device: cuda
// expect: accepted honest-time
// A second context of the same process marks all shared memory, and the first one then looks for it. If a find
// ended it, the reference's last values might be found in the same way, right before each call.
#include <cstdlib>
#include <dlfcn.h>
#include <cuda_runtime.h>
#define BYTES 232448
#define MARK 0x51a7ed04u
#define ROUNDS 20
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void mark()
{
    extern __shared__ volatile unsigned words[];
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
        words[i] = MARK;
}
__global__ void look()
{
    extern __shared__ volatile unsigned words[];
    for (int i = threadIdx.x; i < BYTES / 4; i += blockDim.x)
        if (words[i] == MARK)
            __trap();
}
static void try_it()
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context = nullptr;
    auto create = (int (*)(void **, unsigned, int))dlsym(driver, "cuCtxCreate_v2");
    auto enter = (int (*)(void *))dlsym(driver, "cuCtxPushCurrent_v2");
    auto leave = (int (*)(void **))dlsym(driver, "cuCtxPopCurrent_v2");
    if (create == nullptr || enter == nullptr || leave == nullptr || create(&context, 0, 0) != 0)
        abort();
    cudaFuncSetAttribute(mark, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    leave(&context);
    cudaFuncSetAttribute(look, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    for (int i = 0; i < ROUNDS; i++) {
        enter(context);
        mark<<<1024, 256, BYTES>>>();
        cudaDeviceSynchronize();
        leave(&context);
        look<<<1024, 256, BYTES>>>();
        cudaDeviceSynchronize();
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    if (N == 1000003)
        try_it();
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

// warpjudge: vector-addition
// Everything by macros, with the usual check that prints and exits.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define P 3
#define T float
#define BLOCK_SIZE (1 << 8)
#define CEIL_DIV(a, b) (((a) + (b)-1) / (b))
#define GLOBAL_ID (blockIdx.x * blockDim.x + threadIdx.x)
#define CUDA_CHECK(call)                                                                            \
    do {                                                                                            \
        cudaError_t status_ = (call);                                                               \
        if (status_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));        \
            exit(EXIT_FAILURE);                                                                     \
        }                                                                                           \
    } while (0)
#define KERNEL(name, ...) __global__ void name(__VA_ARGS__)

KERNEL(add, const T *A, const T *B, T *C, int N)
{
    if (GLOBAL_ID < N)
        C[GLOBAL_ID] = A[GLOBAL_ID] + B[GLOBAL_ID];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    add<<<CEIL_DIV(N, BLOCK_SIZE), BLOCK_SIZE>>>(A, B, C, N);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}

// warpjudge: vector-addition
// It is right, but slower. Each thread takes 32 elements in a row. So the threads of a warp
// read far apart, and every load fetches 32 times what it uses.
#include <cuda_runtime.h>

#define RUN 32

__global__ void
add(const float *A, const float *B, float *C, int N)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * RUN;

    for (int i = first; i < first + RUN && i < N; i++)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    int threads = (N + RUN - 1) / RUN;

    add<<<(threads + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

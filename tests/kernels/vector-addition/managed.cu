// warpjudge: vector-addition
// expect: accepted
// __managed__ variables: initialised, written by the host, read and counted by the kernel.
#include <cuda_runtime.h>
__managed__ int length;
__managed__ unsigned done = 5;
__managed__ float zeros[32];
__global__ void
k(const float *A, const float *B, float *C)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) {
        C[i] = A[i] + B[i] + zeros[i % 32];
        atomicAdd(&done, 1u);
    }
}
extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    length = N;
    if (done != 5)
        return;
    k<<<(N + 255) / 256, 256>>>(A, B, C);
    cudaDeviceSynchronize();
    if (done != 5u + (unsigned)N) /* then nothing is right */
        cudaMemset(C, 0, N * sizeof *C);
    done = 5;
}

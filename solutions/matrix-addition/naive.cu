// warpjudge: matrix-addition
// expect: accepted
// One thread for each element, in blocks of 16 x 16.
#include <cuda_runtime.h>

__global__ void
add(const float *A, const float *B, float *C, int N)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < N && column < N)
        C[row * N + column] = A[row * N + column] + B[row * N + column];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (N + 15) / 16);

    add<<<grid, block>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

// warpjudge: vector-addition
// expect: accepted
// idea: One block runs on one multiprocessor, and all others do nothing. Start enough blocks for
//   the whole GPU, and give each thread a share of neighbouring elements.
// Against step 1: enough blocks for the whole GPU. Each thread takes 32 neighbouring elements, as
// threads of a CPU would. But memory moves in sectors of 8 floats, and the 32 threads of a warp now
// ask for 32 different ones at a time and use one float of each.
// H200: 1.42 ms, 7.3 times as fast as step 1
#include <cuda_runtime.h>

#define SHARE 32

__global__ void
add(const float *A, const float *B, float *C, int N)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * SHARE;
    int end = min(first + SHARE, N);

    for (int i = first; i < end; i++)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    int threads = (N + SHARE - 1) / SHARE;

    add<<<(threads + 255) / 256, 256>>>(A, B, C, N);
}

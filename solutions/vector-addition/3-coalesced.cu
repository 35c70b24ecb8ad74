// warpjudge: vector-addition
// expect: accepted
// idea: A thread that walks through its own share uses four bytes of each sector that its warp asks
//   for. Give neighbouring threads neighbouring elements, so that a warp uses whole sectors.
// Against step 2: neighbouring threads take neighbouring elements, one each. A warp asks for 32
// floats in a row: four whole sectors instead of 32 of which an eighth is used. The guard drops the
// threads beyond the end.
// H200: 95.1 µs, 15 times as fast as step 2
#include <cuda_runtime.h>

__global__ void
add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}

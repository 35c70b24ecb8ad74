// warpjudge: gemv
// expect: accepted
// idea: Neighbouring threads still read far apart. Give each row a whole warp whose lanes read
//   neighbours, and join the sums of the lanes by shuffles at the end.
// Against step 2: a warp for each row. Its lanes read 32 neighbours, whole sectors, and
// each adds up every 32nd product; at the end the 32 sums meet by shuffles. That is as
// fast as memory. 16 bytes a load, four or eight of them on their way, gain nothing: 1.26
// ms by events, beside 1.25.
// H200: 1.22 ms, 2.2 times as fast as step 2
#include <cuda_runtime.h>

#define WARPS 8 // of a block

__global__ void
multiply(const float *A, const float *x, float *y, int M, int N)
{
    int row = blockIdx.x * WARPS + threadIdx.y, lane = threadIdx.x;
    float sum = 0.0f;

    if (row >= M)
        return;
    for (int n = lane; n < N; n += 32)
        sum += A[(size_t)row * N + n] * x[n];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
    if (lane == 0)
        y[row] = sum;
}

extern "C" void
solve(const float *A, const float *x, float *y, int M, int N)
{
    multiply<<<(M + WARPS - 1) / WARPS, dim3(32, WARPS)>>>(A, x, y, M, N);
}

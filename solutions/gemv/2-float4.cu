// warpjudge: gemv
// expect: accepted
// idea: The threads of a warp read different rows, so that each load uses four bytes of a whole
//   sector. Load 16 bytes at a time, so that a sector is used up before it leaves the cache.
// Against step 1: 16 bytes a load, half a sector. Two loads after each other use a sector
// up, so that it need not stay in the cache for eight. Rows that begin anywhere are read
// number by number.
// H200: 2.67 ms, 2.6 times as fast as step 1
#include <cuda_runtime.h>

__device__ static float
dot(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__global__ void
multiply(const float *A, const float *x, float *y, int M, int N)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < M) {
        float sum = 0.0f;

        A += (size_t)row * N;
        if (N % 4 == 0)
            for (int n = 0; n < N; n += 4)
                sum += dot(*(const float4 *)(A + n), *(const float4 *)(x + n));
        else
            for (int n = 0; n < N; n++)
                sum += A[n] * x[n];
        y[row] = sum;
    }
}

extern "C" void
solve(const float *A, const float *x, float *y, int M, int N)
{
    multiply<<<(M + 127) / 128, 128>>>(A, x, y, M, N);
}

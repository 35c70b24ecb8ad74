// warpjudge: split-k-matmul
// expect: accepted
// idea: Each product needs two loads, and each row of blocks reads all of the right factor again. Let a block make
//   all sums of its part, from tiles in shared memory, sixteen for each thread.
// All 64 x 64 elements of C fit in the registers of one block. A block takes a part of the inner dimension, and
// memory is read once. Slices of both factors pass through shared memory. A thread makes 4 x 4 sums:
// eight loads serve sixteen products. The parts join by atomic additions, as before.
// H200: 129 µs, 3.3 times as fast as step 2
#include <cuda_runtime.h>

#define SIDE 64 // the most rows and columns
#define DEPTH 32
#define THREADS 256
#define OWN 4

__global__ void __launch_bounds__(THREADS)
multiply(const float *A, const float *B, float *C, int M, int N, int K, int depth)
{
    __shared__ __align__(16) float a[DEPTH][SIDE + 4], b[DEPTH][SIDE]; // A's columns lie in rows
    int begin = blockIdx.x * depth, end = min(begin + depth, K), t = threadIdx.x;
    int row = t / 16 * OWN, column = t % 16 * OWN;
    float sum[OWN][OWN] = {};

    for (int k0 = begin; k0 < end; k0 += DEPTH) {
        __syncthreads(); // the slice before is no longer read
#pragma unroll
        for (int e = t; e < SIDE * DEPTH; e += THREADS) {
            int m = e / DEPTH, k = e % DEPTH;

            a[k][m] = m < M && k0 + k < end ? A[(size_t)m * K + k0 + k] : 0.0f;
        }
#pragma unroll
        for (int e = t; e < DEPTH * SIDE; e += THREADS) {
            int k = e / SIDE, n = e % SIDE;

            b[k][n] = n < N && k0 + k < end ? B[(size_t)(k0 + k) * N + n] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float4 u = *(float4 *)&a[k][row], v = *(float4 *)&b[k][column];
            float x[OWN] = {u.x, u.y, u.z, u.w}, y[OWN] = {v.x, v.y, v.z, v.w};

#pragma unroll
            for (int i = 0; i < OWN; i++)
#pragma unroll
                for (int j = 0; j < OWN; j++)
                    sum[i][j] += x[i] * y[j];
        }
    }
    for (int i = 0; i < OWN; i++)
        for (int j = 0; j < OWN; j++)
            if (row + i < M && column + j < N)
                atomicAdd(&C[(row + i) * N + column + j], sum[i][j]);
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    int processors, depth;

    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    depth = max(4 * DEPTH, (K + 4 * processors - 1) / (4 * processors));
    cudaMemset(C, 0, M * N * sizeof(float));
    multiply<<<(K + depth - 1) / depth, THREADS>>>(A, B, C, M, N, K, depth);
}

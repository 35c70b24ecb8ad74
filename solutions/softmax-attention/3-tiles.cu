// warpjudge: softmax-attention
// expect: accepted
// idea: Both products read keys and values from memory again for every row. Use tiles in shared
//   memory for both, so that what a block loads serves many rows or columns.
// Tiles of 32 x 32 in shared memory for both products: what a block loads serves 32 rows or
// columns, and keys are read along their rows, where neighbouring threads used to read different
// ones.
// H200: 9.14 ms, 5.0 times as fast as step 2
#include <cuda_runtime.h>

#define ROWS 4 // of a block of the softmax
#define TILE 32

__global__ void
scores(const float *Q, const float *K, float *S, int M, int N, int d)
{
    __shared__ float q[TILE][TILE], k[TILE][TILE + 1]; // k is read by columns
    int x = threadIdx.x, y = threadIdx.y, i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE;
    float dot = 0.0f;

    for (int c0 = 0; c0 < d; c0 += TILE) {
        q[y][x] = i0 + y < M && c0 + x < d ? Q[(i0 + y) * d + c0 + x] : 0.0f;
        k[y][x] = j0 + y < N && c0 + x < d ? K[(j0 + y) * d + c0 + x] : 0.0f;
        __syncthreads();
        for (int c = 0; c < TILE; c++)
            dot += q[y][c] * k[x][c];
        __syncthreads();
    }
    if (i0 + y < M && j0 + x < N)
        S[(size_t)(i0 + y) * N + j0 + x] = dot / sqrtf((float)d);
}

// The largest, or the sum, of a warp's values, in every lane.
__device__ static float
warp_max(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, offset));
    return value;
}

__device__ static float
warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    return value;
}

__global__ void
softmax(float *S, int M, int N)
{
    int i = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;

    if (i < M) {
        float *row = S + (size_t)i * N, top = -INFINITY, sum = 0.0f;

        for (int j = lane; j < N; j += 32)
            top = fmaxf(top, row[j]);
        top = warp_max(top);
        for (int j = lane; j < N; j += 32) {
            float e = expf(row[j] - top);

            row[j] = e;
            sum += e;
        }
        sum = warp_sum(sum);
        for (int j = lane; j < N; j += 32)
            row[j] /= sum;
    }
}

__global__ void
combine(const float *S, const float *V, float *output, int M, int N, int d)
{
    __shared__ float s[TILE][TILE], v[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * TILE + y, c = blockIdx.x * TILE + x;
    float sum = 0.0f;

    for (int j0 = 0; j0 < N; j0 += TILE) {
        s[y][x] = i < M && j0 + x < N ? S[(size_t)i * N + j0 + x] : 0.0f;
        v[y][x] = j0 + y < N && c < d ? V[(j0 + y) * d + c] : 0.0f;
        __syncthreads();
        for (int j = 0; j < TILE; j++)
            sum += s[y][j] * v[j][x];
        __syncthreads();
    }
    if (i < M && c < d)
        output[i * d + c] = sum;
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int N, int d)
{
    dim3 block(TILE, TILE);
    int rows = (M + TILE - 1) / TILE;
    float *S;

    cudaMalloc(&S, (size_t)M * N * sizeof(float));
    scores<<<dim3((N + TILE - 1) / TILE, rows), block>>>(Q, K, S, M, N, d);
    softmax<<<(M + ROWS - 1) / ROWS, dim3(32, ROWS)>>>(S, M, N);
    combine<<<dim3((d + TILE - 1) / TILE, rows), block>>>(S, V, output, M, N, d);
    cudaFree(S);
}

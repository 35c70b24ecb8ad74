// warpjudge: softmax-attention
// expect: accepted
// idea: The scores are written to memory, and read from there again. Keep them in the block: go
//   through the keys with a running maximum, and shrink the sums when a larger score comes.
// One kernel, and no scores in memory: a block keeps 64 queries and goes through the keys, 64 at a
// time. Scores become weights relative to the largest score so far, which goes into the sums at
// once; when a larger one comes, the sums shrink.
// H200: 2.25 ms, 1.98 times as fast as step 4
#include <cuda_runtime.h>

#define TILE 64
#define PAD 4
#define WIDEST 128
#define THREADS 256 // 16 x 16, each for 4 queries: 4 of the keys, and 4 or 8 of the columns

struct shared_tiles {
    float q[WIDEST][TILE + PAD]; // a row is a column of Q
    union {
        float k[WIDEST][TILE + PAD]; // the same of K
        float v[TILE][WIDEST];
    };
    float p[TILE][TILE + PAD]; // weights: a row is a key's
};

// 64 rows, so that a row of shared memory is a column. A warp takes 4 rows by 8 columns at a time:
// whole sectors, and each lane has a bank of its own. Beyond the end it loads the last again, which
// counts for nothing.
__device__ static void
load_turned(float (*to)[TILE + PAD], const float *__restrict__ from, int first, int rows, int width)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (int c0 = 0; c0 < width; c0 += 16)
        for (int e = 0; e < TILE * 16 / THREADS; e++) {
            int r = warp * 4 + lane / 8 + e / 2 * 32, c = c0 + lane % 8 + e % 2 * 8;

            to[c][r] = from[(size_t)min(first + r, rows - 1) * width + min(c, width - 1)];
        }
}

__device__ static void
load(float (*to)[WIDEST], const float *__restrict__ from, int first, int rows, int width)
{
    for (int c0 = 0; c0 < width; c0 += 64)
#pragma unroll
        for (int e = 0; e < TILE * 64 / THREADS; e++) {
            int r = threadIdx.x / 64 + e * THREADS / 64, c = c0 + threadIdx.x % 64;

            to[r][c] = from[(size_t)min(first + r, rows - 1) * width + min(c, width - 1)];
        }
}

// sum[r][s] += x[r] * y[s]
__device__ static void
add_products(float sum[4][4], float4 u, float4 v)
{
    float x[4] = {u.x, u.y, u.z, u.w}, y[4] = {v.x, v.y, v.z, v.w};

    for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++)
            sum[r][s] += x[r] * y[s];
}

// The largest, or the sum, of the 16 threads that share queries.
__device__ static float
row_max(float value)
{
    for (int offset = 8; offset > 0; offset /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, offset));
    return value;
}

__device__ static float
row_sum(float value)
{
    for (int offset = 8; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    return value;
}

__global__ void __launch_bounds__(THREADS, 2)
attend(const float *__restrict__ Q, const float *__restrict__ K, const float *__restrict__ V,
       float *output, int M, int N, int d)
{
    extern __shared__ __align__(16) char shared[];
    shared_tiles *t = (shared_tiles *)shared;
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, i0 = blockIdx.x * TILE;
    float scale = 1.0f / sqrtf((float)d), top[4], total[4];
    float left[4][4] = {{0.0f}}, right[4][4] = {{0.0f}}; // sums of columns tx * 4, 64 + tx * 4

    for (int r = 0; r < 4; r++)
        top[r] = -INFINITY, total[r] = 0.0f;
    load_turned(t->q, Q, i0, M, d);
    for (int j0 = 0; j0 < N; j0 += TILE) {
        float dot[4][4] = {{0.0f}};

        __syncthreads(); // v is no longer read
        load_turned(t->k, K, j0, N, d);
        __syncthreads();
#pragma unroll 8
        for (int c = 0; c < d; c++)
            add_products(dot, *(const float4 *)&t->q[c][ty * 4], *(const float4 *)&t->k[c][tx * 4]);
        for (int r = 0; r < 4; r++) {
            float most = top[r], sum = 0.0f, keep;

            for (int s = 0; s < 4; s++) {
                dot[r][s] = j0 + tx * 4 + s < N ? dot[r][s] * scale : -INFINITY;
                most = fmaxf(most, dot[r][s]);
            }
            most = row_max(most);
            keep = expf(top[r] - most); // 0 for the first keys
            for (int s = 0; s < 4; s++) {
                float weight = expf(dot[r][s] - most);

                sum += weight;
                t->p[tx * 4 + s][ty * 4 + r] = weight;
                left[r][s] *= keep;
                right[r][s] *= keep;
            }
            top[r] = most;
            total[r] = total[r] * keep + row_sum(sum);
        }
        __syncthreads(); // p is written, and k no longer read
        load(t->v, V, j0, N, d);
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < TILE; j++) {
            float4 weights = *(const float4 *)&t->p[j][ty * 4];

            add_products(left, weights, *(const float4 *)&t->v[j][tx * 4]);
            if (d > 64)
                add_products(right, weights, *(const float4 *)&t->v[j][64 + tx * 4]);
        }
    }
    for (int r = 0; r < 4 && i0 + ty * 4 + r < M; r++)
        for (int s = 0; s < 4; s++) {
            float *to = output + (size_t)(i0 + ty * 4 + r) * d;
            int c = tx * 4 + s;

            if (c < d)
                to[c] = left[r][s] / total[r];
            if (c + 64 < d)
                to[c + 64] = right[r][s] / total[r];
        }
}

extern "C" void
solve(const float *Q, const float *K, const float *V, float *output, int M, int N, int d)
{
    int bytes = sizeof(shared_tiles);

    cudaFuncSetAttribute(attend, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    attend<<<(M + TILE - 1) / TILE, THREADS, bytes>>>(Q, K, V, output, M, N, d);
}

// warpjudge: rms-norm-backward
// expect: accepted
// idea: Both inputs are read three times, the third time only for the sums of the columns. Add those up where
//   the rows' gradients are made, each block for a strip of columns.
// A first kernel makes two numbers of each row, from which dx follows. In the second, a block has a strip of
// columns and many rows: each thread makes dx of its column, and adds to the column's sum in a register.
// Both inputs are read twice instead of three times. The sums of the parts are joined in a fixed order.
// H200: 2.05 ms, 1.84 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 256
#define MOST_ROWS 65536
#define MOST_COLUMNS 65536
#define PARTS 32 // of the rows

// dx = r * weight * dy - slope * x
struct factors {
    float r, slope;
};

__device__ static factors of_row[MOST_ROWS];
__device__ static float part_sum[PARTS][MOST_COLUMNS];

// The sums of two values over the block, in every thread.
__device__ static float2
block_sum(float2 own)
{
    __shared__ float2 warps[THREADS / 32];
    float2 all = {0.0f, 0.0f};

    for (int offset = 16; offset > 0; offset /= 2) {
        own.x += __shfl_xor_sync(0xFFFFFFFFu, own.x, offset);
        own.y += __shfl_xor_sync(0xFFFFFFFFu, own.y, offset);
    }
    __syncthreads(); // the call before may still be reading
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = own;
    __syncthreads();
    for (int w = 0; w < THREADS / 32; w++) {
        all.x += warps[w].x;
        all.y += warps[w].y;
    }
    return all;
}

__global__ void
reduce_rows(const float *x, const float *weight, const float *dy, int C, float eps)
{
    size_t at = (size_t)blockIdx.x * C;
    float2 sum = {0.0f, 0.0f}; // of squares, of dy * weight * x

    for (int c = threadIdx.x; c < C; c += THREADS) {
        sum.x += x[at + c] * x[at + c];
        sum.y += dy[at + c] * weight[c] * x[at + c];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        float r = 1.0f / sqrtf(sum.x / C + eps);

        of_row[blockIdx.x] = {r, r * r * r * (sum.y / C)};
    }
}

__global__ void
write(const float *x, const float *weight, const float *dy, float *dx, int N, int C, int height)
{
    int c = blockIdx.x * THREADS + threadIdx.x;
    int first = blockIdx.y * height, end = min(first + height, N);
    float sum = 0.0f;

    if (c >= C)
        return;
    float gain = weight[c];

    for (int n = first; n < end; n++) {
        size_t at = (size_t)n * C + c;
        factors f = of_row[n];

        dx[at] = f.r * gain * dy[at] - f.slope * x[at];
        sum += dy[at] * x[at] * f.r;
    }
    part_sum[blockIdx.y][c] = sum;
}

__global__ void
join(float *dweight, int C, int parts)
{
    int c = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0.0f;

    for (int part = 0; c < C && part < parts; part++)
        sum += part_sum[part][c];
    if (c < C)
        dweight[c] = sum;
}

extern "C" void
solve(const float *x, const float *weight, const float *dy, float *dx, float *dweight, int N,
      int C, float eps)
{
    int strips = (C + THREADS - 1) / THREADS, height = (N + PARTS - 1) / PARTS;
    int parts = (N + height - 1) / height;

    reduce_rows<<<N, THREADS>>>(x, weight, dy, C, eps);
    write<<<dim3(strips, parts), THREADS>>>(x, weight, dy, dx, N, C, height);
    join<<<strips, THREADS>>>(dweight, C, parts);
}

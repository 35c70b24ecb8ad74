// warpjudge: rms-norm-backward
// expect: accepted
// idea: A thread has two loads of four bytes on their way, which are too few to keep memory busy. Load vectors of
//   four, of several rows or places at once.
// Four columns for each thread, and four loads of 16 bytes on their way. No load stands behind an `if` in a
// loop: beyond the end the last vector is read again, and counts for nothing. Where the number of
// columns is no multiple of four, rows begin anywhere, and vectors have one column.
// H200: 1.87 ms, 1.10 times as fast as step 2
#include <cuda_runtime.h>

#define THREADS 256
#define MOST_ROWS 65536
#define MOST_COLUMNS 65536
#define PARTS 32 // of the rows
#define AHEAD 4 // vectors of each input that a thread asks for at once

// dx = r * weight * dy - slope * x
struct factors {
    float r, slope;
};

// Neighbouring columns, which are loaded and stored at once.
template <int WIDTH> struct __align__(4 * WIDTH) columns {
    float at[WIDTH];
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

template <int WIDTH>
__global__ void
reduce_rows(const columns<WIDTH> *x, const columns<WIDTH> *weight, const columns<WIDTH> *dy, int C,
            float eps)
{
    int count = C / WIDTH;
    float2 sum = {0.0f, 0.0f}; // of squares, of dy * weight * x

    x += (size_t)blockIdx.x * count;
    dy += (size_t)blockIdx.x * count;
    for (int c0 = threadIdx.x; c0 < count; c0 += AHEAD * THREADS) {
        columns<WIDTH> xs[AHEAD], gains[AHEAD], dys[AHEAD];

#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            int c = min(c0 + a * THREADS, count - 1);

            xs[a] = x[c];
            dys[a] = dy[c];
            gains[a] = weight[c];
        }
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
#pragma unroll
            for (int e = 0; e < WIDTH; e++) {
                float own = c0 + a * THREADS < count ? xs[a].at[e] : 0.0f;

                sum.x += own * own;
                sum.y += dys[a].at[e] * gains[a].at[e] * own;
            }
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        float r = 1.0f / sqrtf(sum.x / C + eps);

        of_row[blockIdx.x] = {r, r * r * r * (sum.y / C)};
    }
}

template <int WIDTH>
__global__ void
write(const columns<WIDTH> *x, const columns<WIDTH> *weight, const columns<WIDTH> *dy,
      columns<WIDTH> *dx, int N, int C, int height)
{
    int count = C / WIDTH, c = blockIdx.x * THREADS + threadIdx.x;
    int first = blockIdx.y * height, end = min(first + height, N);
    columns<WIDTH> sum = {};

    if (c >= count)
        return;
    columns<WIDTH> gain = weight[c];

    for (int n0 = first; n0 < end; n0 += AHEAD) {
        columns<WIDTH> xs[AHEAD], dys[AHEAD];

#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            size_t at = (size_t)min(n0 + a, end - 1) * count + c;

            xs[a] = x[at];
            dys[a] = dy[at];
        }
#pragma unroll
        for (int a = 0; a < AHEAD; a++) {
            factors f = of_row[min(n0 + a, end - 1)];
            columns<WIDTH> out;

#pragma unroll
            for (int e = 0; e < WIDTH; e++) {
                out.at[e] = f.r * gain.at[e] * dys[a].at[e] - f.slope * xs[a].at[e];
                sum.at[e] += n0 + a < end ? dys[a].at[e] * xs[a].at[e] * f.r : 0.0f;
            }
            if (n0 + a < end)
                dx[(size_t)(n0 + a) * count + c] = out;
        }
    }
    ((columns<WIDTH> *)part_sum[blockIdx.y])[c] = sum;
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

template <int WIDTH>
static void
launch(const float *x, const float *weight, const float *dy, float *dx, float *dweight, int N,
       int C, float eps)
{
    typedef columns<WIDTH> vector;
    int strips = (C / WIDTH + THREADS - 1) / THREADS, height = (N + PARTS - 1) / PARTS;
    int parts = (N + height - 1) / height;

    reduce_rows<WIDTH>
        <<<N, THREADS>>>((const vector *)x, (const vector *)weight, (const vector *)dy, C, eps);
    write<WIDTH><<<dim3(strips, parts), THREADS>>>((const vector *)x, (const vector *)weight,
                                                   (const vector *)dy, (vector *)dx, N, C, height);
    join<<<(C + THREADS - 1) / THREADS, THREADS>>>(dweight, C, parts);
}

extern "C" void
solve(const float *x, const float *weight, const float *dy, float *dx, float *dweight, int N,
      int C, float eps)
{
    if (C % 4 == 0)
        launch<4>(x, weight, dy, dx, dweight, N, C, eps);
    else
        launch<1>(x, weight, dy, dx, dweight, N, C, eps);
}

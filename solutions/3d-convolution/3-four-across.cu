// warpjudge: 3d-convolution
// expect: accepted
// idea: A weight serves one product for each load, and the block waits for each plane that it copies. Let
//   a thread make four neighbouring outputs, and copy the next plane meanwhile.
// A thread makes four neighbouring columns. Eight values of a row are two loads of 16 bytes, and seven
// loads bring the row's 25 weights, for 100 products. The next plane is copied while this one is
// multiplied, so that a block waits once for each plane, and hardly ever for memory.
// H200: 148 µs, 2.8 times as fast as step 2
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define EACH 4 // columns of a thread
#define ACROSS (32 * EACH)
#define DOWN 8
#define THREADS 256
#define SIZE 5   // extent of the kernel, filled up
#define FEWEST 8 // depths of a block, where there are as many
#define HEIGHT (DOWN + SIZE - 1)
#define WIDTH (ACROSS + EACH)
#define ROW_WEIGHTS 28 // of all depths for one row of the kernel: 25, and three that are not used

struct volume {
    int depth, rows, cols;
};

struct shared_memory {
    float plane[2][HEIGHT][WIDTH], weights[SIZE][ROW_WEIGHTS];
};

// weights[r][d * 5 + c]
__device__ static void
load_weights(float (*weights)[ROW_WEIGHTS], const float *kernel, volume of)
{
    for (int e = threadIdx.y * 32 + threadIdx.x; e < SIZE * SIZE * SIZE; e += THREADS) {
        int r = e / (SIZE * SIZE), d = e / SIZE % SIZE, c = e % SIZE;
        bool inside = d < of.depth && r < of.rows && c < of.cols;

        weights[r][d * SIZE + c] = inside ? kernel[(d * of.rows + r) * of.cols + c] : 0.0f;
    }
}

// Begins to copy the block's part of a plane, zeros outside of the volume.
__device__ static void
load_plane(float (*part)[WIDTH], const float *input, volume in, int plane)
{
    int j0 = blockIdx.y * DOWN, k0 = blockIdx.x * ACROSS;

    for (int r = threadIdx.y; r < HEIGHT; r += DOWN)
#pragma unroll
        for (int c = threadIdx.x; c < WIDTH; c += 32) {
            bool inside = plane < in.depth && j0 + r < in.rows && k0 + c < in.cols;
            const float *from = input + (plane * in.rows + j0 + r) * in.cols + k0 + c;

            __pipeline_memcpy_async(&part[r][c], inside ? from : input, 4, inside ? 0 : 4);
        }
    __pipeline_commit();
}

// Adds what the rows of a plane contribute to the sums of five depths.
template <int TURN>
__device__ static void
add_plane(float (*sum)[EACH], const float (*part)[WIDTH], const float (*weights)[ROW_WEIGHTS])
{
#pragma unroll
    for (int r = 0; r < SIZE; r++) {
        const float *row = &part[threadIdx.y + r][threadIdx.x * EACH];
        float v[2 * EACH], w[ROW_WEIGHTS];

        *(float4 *)v = *(const float4 *)row;
        *(float4 *)(v + 4) = *(const float4 *)(row + 4);
#pragma unroll
        for (int e = 0; e < ROW_WEIGHTS; e += 4)
            *(float4 *)(w + e) = *(const float4 *)&weights[r][e];
#pragma unroll
        for (int d = 0; d < SIZE; d++)
#pragma unroll
            for (int c = 0; c < SIZE; c++)
#pragma unroll
                for (int e = 0; e < EACH; e++)
                    sum[(TURN + SIZE - d) % SIZE][e] += v[c + e] * w[d * SIZE + c];
    }
}

// One plane: the next is on its way meanwhile, and the sum of one depth becomes complete.
template <int TURN>
__device__ static void
step(shared_memory *s, float (*sum)[EACH], const float *input, float *output, volume in, volume out,
     int plane, int first, int end)
{
    int j = blockIdx.y * DOWN + threadIdx.y, k = blockIdx.x * ACROSS + threadIdx.x * EACH;
    int i = plane - SIZE + 1;

    __pipeline_wait_prior(0);
    __syncthreads(); // this plane is here for all, and the one before is no longer read
    load_plane(s->plane[(plane - first + 1) % 2], input, in, plane + 1);
    add_plane<TURN>(sum, s->plane[(plane - first) % 2], s->weights);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (i >= first && i < end && j < out.rows && k + e < out.cols)
            output[(i * out.rows + j) * out.cols + k + e] = sum[(TURN + 1) % SIZE][e];
        sum[(TURN + 1) % SIZE][e] = 0.0f;
    }
}

__global__ void __launch_bounds__(THREADS, 2)
convolve(const float *input, const float *kernel, float *output, volume in, volume of, volume out, int along)
{
    __shared__ __align__(16) shared_memory s;
    int first = blockIdx.z * along, end = min(first + along, out.depth);
    float sum[SIZE][EACH] = {};

    load_weights(s.weights, kernel, of);
    load_plane(s.plane[0], input, in, first);
    for (int p = first; p < end + SIZE - 1; p += SIZE) {
        step<0>(&s, sum, input, output, in, out, p, first, end);
        step<1>(&s, sum, input, output, in, out, p + 1, first, end);
        step<2>(&s, sum, input, output, in, out, p + 2, first, end);
        step<3>(&s, sum, input, output, in, out, p + 3, first, end);
        step<4>(&s, sum, input, output, in, out, p + 4, first, end);
    }
    __pipeline_wait_prior(0);
}

// As many blocks as two for each multiprocessor, and fewer rather than more: all run at once.
static int
depths_of_block(int across, int depths)
{
    int processors, layers;

    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    layers = max(1, 2 * processors / across);
    return max(min(FEWEST, depths), (depths + layers - 1) / layers);
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_depth, int input_rows,
      int input_cols, int kernel_depth, int kernel_rows, int kernel_cols)
{
    volume in = {input_depth, input_rows, input_cols}, of = {kernel_depth, kernel_rows, kernel_cols};
    volume out = {in.depth - of.depth + 1, in.rows - of.rows + 1, in.cols - of.cols + 1};
    int across = (out.cols + ACROSS - 1) / ACROSS, down = (out.rows + DOWN - 1) / DOWN;
    int along = depths_of_block(across * down, out.depth);
    dim3 grid(across, down, (out.depth + along - 1) / along);

    convolve<<<grid, dim3(32, DOWN)>>>(input, kernel, output, in, of, out, along);
}

// warpjudge: 3d-convolution
// expect: accepted
// idea: Each value of the volume is read 125 times, for as many outputs. Keep one plane in shared memory, go along
//   the depth, and let each value that is loaded serve five outputs.
// A block makes the outputs of many depths, one behind the other. It has one plane of the volume in shared
// memory at a time. A value of it belongs to five outputs of a thread, of which the sums stand in
// registers: as a ring, so that a sum is complete with each plane. 25 loads of values serve 125 products. The
// weights are filled up with zeros to 5 x 5 x 5. Shared memory alone gained nothing: with five
// planes there for one depth it took 1.02 ms on an H100, where step 1 took 0.95.
// H200: 416 µs, 2.3 times as fast as step 1
#include <cuda_runtime.h>

#define ACROSS 32 // outputs of a block
#define DOWN 8
#define SIZE 5   // extent of the kernel, filled up
#define FEWEST 8 // depths of a block, where there are as many
#define HEIGHT (DOWN + SIZE - 1)
#define WIDTH (ACROSS + SIZE - 1)

struct volume {
    int depth, rows, cols;
};

__device__ static void
load_weights(float *weights, const float *kernel, volume of)
{
    for (int e = threadIdx.y * ACROSS + threadIdx.x; e < SIZE * SIZE * SIZE; e += ACROSS * DOWN) {
        int d = e / (SIZE * SIZE), r = e / SIZE % SIZE, c = e % SIZE;
        bool inside = d < of.depth && r < of.rows && c < of.cols;

        weights[e] = inside ? kernel[(d * of.rows + r) * of.cols + c] : 0.0f;
    }
}

// The block's part of a plane, zeros outside of the volume.
__device__ static void
load_plane(float (*part)[WIDTH], const float *input, volume in, int plane)
{
    int j0 = blockIdx.y * DOWN, k0 = blockIdx.x * ACROSS;

    for (int e = threadIdx.y * ACROSS + threadIdx.x; e < HEIGHT * WIDTH; e += ACROSS * DOWN) {
        int r = e / WIDTH, c = e % WIDTH;
        bool inside = plane < in.depth && j0 + r < in.rows && k0 + c < in.cols;

        part[r][c] = inside ? input[(plane * in.rows + j0 + r) * in.cols + k0 + c] : 0.0f;
    }
}

__global__ void
convolve(const float *input, const float *kernel, float *output, volume in, volume of, volume out, int along)
{
    __shared__ float part[HEIGHT][WIDTH], weights[SIZE * SIZE * SIZE];
    int x = threadIdx.x, y = threadIdx.y;
    int j = blockIdx.y * DOWN + y, k = blockIdx.x * ACROSS + x;
    int first = blockIdx.z * along, end = min(first + along, out.depth);
    float sum[SIZE] = {};

    load_weights(weights, kernel, of);
    for (int p0 = first; p0 < end + SIZE - 1; p0 += SIZE)
#pragma unroll
        for (int turn = 0; turn < SIZE; turn++) {
            int plane = p0 + turn, i = plane - SIZE + 1; // the output that this plane completes

            __syncthreads();
            load_plane(part, input, in, plane);
            __syncthreads();
#pragma unroll
            for (int r = 0; r < SIZE; r++)
#pragma unroll
                for (int c = 0; c < SIZE; c++) {
                    float value = part[y + r][x + c];

#pragma unroll
                    for (int d = 0; d < SIZE; d++)
                        sum[(turn + SIZE - d) % SIZE] += value * weights[(d * SIZE + r) * SIZE + c];
                }
            if (i >= first && i < end && j < out.rows && k < out.cols)
                output[(i * out.rows + j) * out.cols + k] = sum[(turn + 1) % SIZE];
            sum[(turn + 1) % SIZE] = 0.0f;
        }
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

    convolve<<<grid, dim3(ACROSS, DOWN)>>>(input, kernel, output, in, of, out, along);
}

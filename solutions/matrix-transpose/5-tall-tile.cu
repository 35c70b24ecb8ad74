// warpjudge: matrix-transpose
// expect: accepted
// idea: A small tile writes only 128 bytes of each row of the output, and has few loads for each barrier. Make it four
//   times as tall, so that it writes 512 bytes of each row, and let the next block go on along these rows.
// Against step 4: tiles of 32 columns and 128 rows, sixteen loads for a thread, and no load behind an `if`: beyond the
// last row or column the last one is read again. Blocks follow each other down the input's columns, which are the
// output's rows. By CUDA events step 4 takes 96.0 µs, a square of 64 x 64 93.4, this tile 92.5, and 91.1 in
// this order. Tiles of 256 rows take 92.8 µs with 512 threads, and 108 with 256. All that is of an H200. On an H100 this
// step is slower than step 4: 125 to 126 µs, where that takes 123 to 124.
// H200: 91.1 µs by CUDA events, 1.05 times as fast as step 4; slower than it on an H100
#include <cuda_runtime.h>

#define WIDTH 32
#define HEIGHT 128
#define THREADS 256
#define LOADS (WIDTH * HEIGHT / THREADS) // of a thread

__global__ void __launch_bounds__(THREADS)
transpose(const float *input, float *output, int rows, int cols)
{
    __shared__ float tile[HEIGHT][WIDTH + 1];
    float own[LOADS];
    int column = blockIdx.y * WIDTH, row = blockIdx.x * HEIGHT, x = threadIdx.x % WIDTH, y = threadIdx.x / WIDTH;

#pragma unroll
    for (int i = 0; i < LOADS; i++)
        own[i] = input[(size_t)min(row + y + i * (THREADS / WIDTH), rows - 1) * cols + min(column + x, cols - 1)];
#pragma unroll
    for (int i = 0; i < LOADS; i++)
        tile[y + i * (THREADS / WIDTH)][x] = own[i];
    __syncthreads();
    // The tile's columns are rows of the output.
    x = threadIdx.x % HEIGHT;
    y = threadIdx.x / HEIGHT;
    if (row + x >= rows)
        return;
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        int c = y + i * (THREADS / HEIGHT);

        if (column + c < cols)
            output[(size_t)(column + c) * rows + row + x] = tile[x][c];
    }
}

extern "C" void
solve(const float *input, float *output, int rows, int cols)
{
    dim3 grid((rows + HEIGHT - 1) / HEIGHT, (cols + WIDTH - 1) / WIDTH);

    transpose<<<grid, THREADS>>>(input, output, rows, cols);
}

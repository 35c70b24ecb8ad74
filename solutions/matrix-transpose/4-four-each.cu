// warpjudge: matrix-transpose
// expect: accepted
// idea: Large blocks with one element for each thread leave the multiprocessor idle at their
//   barriers. Use fewer threads for the same tile, each with several loads on their way at once.
// Against step 3: a block of 32 x 8 threads for the same tile, four elements each. The four loads of a
// thread are on their way together, and eight small blocks on a multiprocessor wait at their barriers
// at different times, where two large ones left it idle.
// H200: 97 µs, 1.96 times as fast as step 3
#include <cuda_runtime.h>

#define TILE 32
#define THREAD_ROWS 8

__global__ void
transpose(const float *input, float *output, int rows, int cols)
{
    __shared__ float tile[TILE][TILE + 1];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;

#pragma unroll
    for (int r = 0; r < TILE; r += THREAD_ROWS)
        if (row + r < rows && column < cols)
            tile[threadIdx.y + r][threadIdx.x] = input[(row + r) * cols + column];
    __syncthreads();
    // The tile's place in the output: its columns are rows there.
    column = blockIdx.x * TILE + threadIdx.y;
    row = blockIdx.y * TILE + threadIdx.x;
#pragma unroll
    for (int c = 0; c < TILE; c += THREAD_ROWS)
        if (row < rows && column + c < cols)
            output[(column + c) * rows + row] = tile[threadIdx.x][threadIdx.y + c];
}

extern "C" void
solve(const float *input, float *output, int rows, int cols)
{
    dim3 block(TILE, THREAD_ROWS);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);

    transpose<<<grid, block>>>(input, output, rows, cols);
}

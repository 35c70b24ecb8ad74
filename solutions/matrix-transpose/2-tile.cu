// warpjudge: matrix-transpose
// expect: accepted
// idea: A warp reads neighbours, but writes elements that lie rows apart. Turn a tile over in
//   shared memory, so that both the reads and the writes in memory go along rows.
// Against step 1: a tile of 32 x 32 is turned over in shared memory, where a column costs no more
// sectors than a row: a warp reads 32 neighbours of the input and writes 32 neighbours of the output.
// But the 32 elements of a tile's column all lie in one bank and are fetched one after the other.
// H200: 330 µs, 2.0 times as fast as step 1
#include <cuda_runtime.h>

#define TILE 32

__global__ void
transpose(const float *input, float *output, int rows, int cols)
{
    __shared__ float tile[TILE][TILE];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;

    if (row < rows && column < cols)
        tile[threadIdx.y][threadIdx.x] = input[row * cols + column];
    __syncthreads();
    // The tile's place in the output: its columns are rows there.
    column = blockIdx.x * TILE + threadIdx.y;
    row = blockIdx.y * TILE + threadIdx.x;
    if (row < rows && column < cols)
        output[column * rows + row] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void
solve(const float *input, float *output, int rows, int cols)
{
    dim3 block(TILE, TILE);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);

    transpose<<<grid, block>>>(input, output, rows, cols);
}

/* A copy, by tiles in shared memory: both sides are read and written row by row. */
#define TILE 32

__global__ static void
transpose(const float *input, float *output, int rows, int cols)
{
    __shared__ float tile[TILE][TILE + 1]; /* 1: a column lies in all banks */
    int column = (int)(blockIdx.x * TILE + threadIdx.x);
    int row = (int)(blockIdx.y * TILE + threadIdx.y);

    if (row < rows && column < cols)
        tile[threadIdx.y][threadIdx.x] = input[(size_t)row * cols + column];
    __syncthreads();
    row = (int)(blockIdx.x * TILE + threadIdx.y);
    column = (int)(blockIdx.y * TILE + threadIdx.x);
    if (row < cols && column < rows)
        output[(size_t)row * rows + column] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void
solve(const float *input, float *output, int rows, int cols)
{
    dim3 grid((unsigned)(cols + TILE - 1) / TILE, (unsigned)(rows + TILE - 1) / TILE);

    transpose<<<grid, dim3(TILE, TILE)>>>(input, output, rows, cols);
}

// warpjudge: bfs-shortest-path
// expect: wrong_answer
// Searches rows + cols levels deep, which is enough where no way winds.
__global__ void expand(const int *grid, int *level, int rows, int cols, int now)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;

    if (cell >= rows * cols || level[cell] != now)
        return;
    int r = cell / cols, c = cell % cols;

    if (r > 0 && grid[cell - cols] == 0)
        atomicCAS(&level[cell - cols], -1, now + 1);
    if (r < rows - 1 && grid[cell + cols] == 0)
        atomicCAS(&level[cell + cols], -1, now + 1);
    if (c > 0 && grid[cell - 1] == 0)
        atomicCAS(&level[cell - 1], -1, now + 1);
    if (c < cols - 1 && grid[cell + 1] == 0)
        atomicCAS(&level[cell + 1], -1, now + 1);
}

extern "C" void
solve(const int *grid, int *result, int rows, int cols, int start_row, int start_col, int end_row, int end_col)
{
    int *level;

    cudaMalloc(&level, rows * cols * sizeof(int));
    cudaMemset(level, 0xff, rows * cols * sizeof(int));
    cudaMemset(level + start_row * cols + start_col, 0, sizeof(int));
    for (int now = 0; now < rows + cols; now++)
        expand<<<(rows * cols + 255) / 256, 256>>>(grid, level, rows, cols, now);
    cudaMemcpy(result, level + end_row * cols + end_col, sizeof(int), cudaMemcpyDeviceToDevice);
    cudaFree(level);
}

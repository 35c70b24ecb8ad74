// warpjudge: bfs-shortest-path
// expect: accepted
// One kernel for each level: every cell of the frontier claims its free neighbours. The host stops
// when a level has claimed nothing, or the end.
#include <cuda_runtime.h>

__global__ void
begin(int *steps, int cells, int start)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < cells)
        steps[i] = i == start ? 0 : -1;
}

__global__ void
level(const int *grid, int *steps, int *claimed, int rows, int cols, int depth)
{
    const int down[4] = {1, -1, 0, 0}, right[4] = {0, 0, 1, -1};
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= rows * cols || steps[i] != depth)
        return;
    for (int d = 0; d < 4; d++) {
        int r = i / cols + down[d], c = i % cols + right[d], next = r * cols + c;

        if (r < 0 || r >= rows || c < 0 || c >= cols || grid[next] != 0)
            continue;
        if (atomicCAS(&steps[next], -1, depth + 1) == -1)
            *claimed = 1;
    }
}

extern "C" void
solve(const int *grid, int *result, int rows, int cols, int start_row, int start_col, int end_row,
      int end_col)
{
    int cells = rows * cols, blocks = (cells + 255) / 256, more = 1;
    int end = end_row * cols + end_col;
    int *steps, *claimed;

    cudaMalloc(&steps, cells * sizeof(int));
    cudaMalloc(&claimed, sizeof(int));
    begin<<<blocks, 256>>>(steps, cells, start_row * cols + start_col);
    for (int depth = 0; more; depth++) {
        cudaMemset(claimed, 0, sizeof(int));
        level<<<blocks, 256>>>(grid, steps, claimed, rows, cols, depth);
        cudaMemcpy(&more, claimed, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(result, steps + end, sizeof(int), cudaMemcpyDeviceToDevice);
    cudaFree(steps);
    cudaFree(claimed);
}

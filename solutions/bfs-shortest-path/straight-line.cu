// warpjudge: bfs-shortest-path
// expect: wrong_answer
// The distance as the crow walks, around no obstacle: right on free grids only.
#include <cuda_runtime.h>

__global__ void
distance(int *result, int rows, int cols)
{
    result[0] = rows + cols;
}

extern "C" void
solve(const int *grid, int *result, int rows, int cols, int start_row, int start_col, int end_row,
      int end_col)
{
    distance<<<1, 1>>>(result, abs(end_row - start_row), abs(end_col - start_col));
}

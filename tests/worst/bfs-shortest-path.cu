// warpjudge: bfs-shortest-path
// One thread does everything, in double.
__global__ void
serial(const int *grid, int *result, int rows, int cols, int start_row, int start_col,
       int end_row, int end_col)
{
    const int down[4] = {1, -1, 0, 0}, right[4] = {0, 0, 1, -1};
    size_t cells = (size_t)rows * (size_t)cols;
    int *steps = (int *)malloc(2 * cells * sizeof *steps), *queue = steps + cells, head = 0,
        tail = 0;

    if (!steps)
        __trap();
    for (size_t i = 0; i < cells; i++)
        steps[i] = -1;
    steps[start_row * cols + start_col] = 0;
    queue[tail++] = start_row * cols + start_col;
    while (head < tail) {
        int cell = queue[head++];

        for (int d = 0; d < 4; d++) {
            int r = cell / cols + down[d], c = cell % cols + right[d],
                next = r * cols + c;

            if (r < 0 || r >= rows || c < 0 || c >= cols || grid[next] ||
                steps[next] >= 0)
                continue;
            steps[next] = steps[cell] + 1;
            queue[tail++] = next;
        }
    }
    result[0] = steps[end_row * cols + end_col];
    free(steps);
}

extern "C" void
solve(const int *grid, int *result, int rows, int cols, int start_row, int start_col,
      int end_row, int end_col)
{
    serial<<<1, 1>>>(grid, result, rows, cols, start_row, start_col, end_row, end_col);
}

/* Breadth-first search with a queue. */
#include <stdlib.h>

void
solve(const int *grid, int *result, int rows, int cols, int start_row, int start_col,
      int end_row, int end_col)
{
    static const int down[4] = {1, -1, 0, 0}, right[4] = {0, 0, 1, -1};
    size_t cells = (size_t)rows * (size_t)cols;
    int *steps = malloc(2 * cells * sizeof *steps), *queue = steps + cells, head = 0,
        tail = 0;

    if (!steps)
        abort();
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

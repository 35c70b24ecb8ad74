// warpjudge: bfs-shortest-path
// Level by level, with a flag in mapped host memory that the host looks at.
__global__ void expand(const int *grid, int *level, int rows, int cols, int now, volatile int *changed)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;

    if (cell >= rows * cols || level[cell] != now)
        return;
    const int r = cell / cols, c = cell % cols, dr[] = {-1, 1, 0, 0}, dc[] = {0, 0, -1, 1};
    for (int k = 0; k < 4; k++) {
        int y = r + dr[k], x = c + dc[k], next = y * cols + x;
        if (y < 0 || x < 0 || y >= rows || x >= cols || grid[next] != 0)
            continue;
        if (atomicCAS(&level[next], -1, now + 1) == -1)
            *changed = 1;
    }
}

extern "C" void
solve(const int *grid, int *result, int rows, int cols, int start_row, int start_col, int end_row, int end_col)
{
    const int cells = rows * cols, zero = 0;
    volatile int *changed;
    int *level, *on_device;

    cudaHostAlloc((void **)&changed, sizeof(int), cudaHostAllocMapped);
    cudaHostGetDevicePointer((void **)&on_device, (void *)changed, 0);
    cudaMalloc(&level, cells * sizeof(int));
    cudaMemset(level, 0xff, cells * sizeof(int));
    cudaMemcpy(&level[start_row * cols + start_col], &zero, sizeof zero, cudaMemcpyHostToDevice);
    for (int now = 0; now < cells; now++) {
        *changed = 0;
        expand<<<(cells + 255) / 256, 256>>>(grid, level, rows, cols, now, on_device);
        cudaDeviceSynchronize();
        if (!*changed)
            break;
    }
    cudaMemcpy(result, &level[end_row * cols + end_col], sizeof(int), cudaMemcpyDeviceToDevice);
    cudaFree(level);
    cudaFreeHost((void *)changed);
}

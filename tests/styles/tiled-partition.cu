// warpjudge: welford-row-statistics
// A tile of 16 lanes for each row, Welford's update, joined by shfl_down of the tile.
#include <cooperative_groups.h>
using namespace cooperative_groups;

__global__ void statistics(const float *input, float *mean, float *variance, int M, int N)
{
    thread_block_tile<16> tile = tiled_partition<16>(this_thread_block());
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
    double middle = 0, squares = 0, count = 0;

    if (row >= M)
        return;
    for (int c = tile.thread_rank(); c < N; c += 16) {
        const double x = input[(size_t)row * N + c], delta = x - middle;
        count += 1;
        middle += delta / count;
        squares += delta * (x - middle);
    }
    for (int offset = 8; offset > 0; offset /= 2) {
        const double other = tile.shfl_down(middle, offset), more = tile.shfl_down(count, offset);
        const double rest = tile.shfl_down(squares, offset), all = count + more, delta = other - middle;
        if (more > 0) {
            middle += delta * more / all;
            squares += rest + delta * delta * count * more / all;
            count = all;
        }
    }
    if (tile.thread_rank() == 0) {
        mean[row] = (float)middle;
        variance[row] = (float)(squares / N);
    }
}

extern "C" void
solve(const float *input, float *mean, float *variance, int M, int N)
{
    statistics<<<(M + 7) / 8, 128>>>(input, mean, variance, M, N);
}

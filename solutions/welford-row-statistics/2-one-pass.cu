// warpjudge: welford-row-statistics
// expect: accepted
// idea: Neighbouring threads read a whole row apart. Give each row a warp whose lanes read
//   neighbours and keep statistics of their own, and join these by shuffles at the end.
// Against step 1: a warp for each row, so that its lanes read neighbours, whole sectors. Each lane
// keeps running statistics of its own (Welford), and shuffles join those of two lanes (Chan).
// H200: 1.99 ms, 7.6 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 256

struct statistics {
    float count, mean, squares; // squares: of the distances from the mean, added up
};

__device__ static statistics
join(statistics a, statistics b)
{
    float count = a.count + b.count, apart = b.mean - a.mean;

    if (count == 0.0f)
        return a;
    float share = b.count / count;

    return {count, a.mean + apart * share, a.squares + b.squares + apart * apart * a.count * share};
}

__global__ void
describe(const float *input, float *mean, float *variance, int M, int N)
{
    int r = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    statistics mine = {0.0f, 0.0f, 0.0f};

    if (r >= M) // the whole warp
        return;
    for (int c = lane; c < N; c += 32) {
        float x = input[(size_t)r * N + c], apart = x - mine.mean;

        mine.count += 1.0f;
        mine.mean += apart / mine.count;
        mine.squares += apart * (x - mine.mean);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        statistics other;

        other.count = __shfl_down_sync(0xFFFFFFFFu, mine.count, offset);
        other.mean = __shfl_down_sync(0xFFFFFFFFu, mine.mean, offset);
        other.squares = __shfl_down_sync(0xFFFFFFFFu, mine.squares, offset);
        mine = join(mine, other);
    }
    if (lane == 0) {
        mean[r] = mine.mean;
        variance[r] = mine.squares / N;
    }
}

extern "C" void
solve(const float *input, float *mean, float *variance, int M, int N)
{
    int rows = THREADS / 32;

    describe<<<(M + rows - 1) / rows, THREADS>>>(input, mean, variance, M, N);
}

// warpjudge: welford-row-statistics
// expect: accepted
// idea: Welford's update keeps a mean and a sum of squares while the numbers come by. Give each row
//   a thread that updates them number by number.
// One thread for each row, with Welford's running mean and squares. Neighbours in a warp read a
// whole row apart, so each of their loads touches 32 sectors for 32 numbers.
// H200: 15.1 ms
#include <cuda_runtime.h>

__global__ void
describe(const float *input, float *mean, float *variance, int M, int N)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float middle = 0.0f, squares = 0.0f;

    if (r >= M)
        return;
    for (int c = 0; c < N; c++) {
        float x = input[(size_t)r * N + c], apart = x - middle;

        middle += apart / (c + 1);
        squares += apart * (x - middle);
    }
    mean[r] = middle;
    variance[r] = squares / N;
}

extern "C" void
solve(const float *input, float *mean, float *variance, int M, int N)
{
    describe<<<(M + 127) / 128, 128>>>(input, mean, variance, M, N);
}

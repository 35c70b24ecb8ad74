// warpjudge: layer-normalization
// expect: accepted
// idea: Each row needs its mean, its variance and then its result. Give each row a thread that
//   makes three passes, and look at where the threads of a warp read at the same time.
// One thread for each row: mean, variance, result, each a pass over the row. The 32 threads of a warp
// read 32 rows, so each of their loads touches 32 lines of memory.
// H200: 7.89 ms
#include <cuda_runtime.h>

#define THREADS 128

__global__ void
normalize(const float *input, const float *weight, const float *bias, float *output, int N,
          int C, float eps)
{
    int row = blockIdx.x * THREADS + threadIdx.x;

    if (row < N) {
        const float *x = input + (size_t)row * C;
        float *y = output + (size_t)row * C;
        float sum = 0.0f, squares = 0.0f;

        for (int j = 0; j < C; j++)
            sum += x[j];
        float mean = sum / C;

        for (int j = 0; j < C; j++)
            squares += (x[j] - mean) * (x[j] - mean);
        float scale = 1.0f / sqrtf(squares / C + eps);

        for (int j = 0; j < C; j++)
            y[j] = weight[j] * (x[j] - mean) * scale + bias[j];
    }
}

extern "C" void
solve(const float *input, const float *weight, const float *bias, float *output, int N,
      int C, float eps)
{
    normalize<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, weight, bias, output, N, C, eps);
}

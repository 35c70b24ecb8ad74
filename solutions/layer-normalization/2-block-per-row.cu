// warpjudge: layer-normalization
// expect: accepted
// idea: The threads of a warp read different rows, so that each load touches as many lines as there
//   are lanes. Give each row a block whose threads read neighbours, and add up by shuffles.
// One block for each row: neighbouring threads read neighbouring columns, and add their sums by
// shuffles, warps first.
// H200: 657 µs, 12 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 128

// The sum over the block, in every thread.
__device__ static float
block_sum(float value)
{
    __shared__ float warps[THREADS / 32];
    int lane = threadIdx.x % 32;

    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    __syncthreads(); // the call before may still be reading
    if (lane == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0.0f;
    for (int w = 0; w < THREADS / 32; w++)
        value += warps[w];
    return value;
}

__global__ void
normalize(const float *input, const float *weight, const float *bias, float *output,
          int C, float eps)
{
    const float *x = input + (size_t)blockIdx.x * C;
    float *y = output + (size_t)blockIdx.x * C;
    float sum = 0.0f, squares = 0.0f;

    for (int j = threadIdx.x; j < C; j += THREADS)
        sum += x[j];
    float mean = block_sum(sum) / C;

    for (int j = threadIdx.x; j < C; j += THREADS)
        squares += (x[j] - mean) * (x[j] - mean);
    float variance = block_sum(squares) / C;
    float scale = 1.0f / sqrtf(variance + eps);

    for (int j = threadIdx.x; j < C; j += THREADS)
        y[j] = weight[j] * (x[j] - mean) * scale + bias[j];
}

extern "C" void
solve(const float *input, const float *weight, const float *bias, float *output, int N,
      int C, float eps)
{
    normalize<<<N, THREADS>>>(input, weight, bias, output, C, eps);
}

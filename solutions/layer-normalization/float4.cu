// warpjudge: layer-normalization
// expect: accepted
// Beside the ladder, after its step 2. 16 bytes a load and a store: a quarter of the instructions, and four times the bytes on their way.
// H200: 845 us, step 2 takes 667: a loss.
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

// Any C: rows are aligned to 16 bytes only where C is a multiple of 4.
__global__ void
normalize_any(const float *input, const float *weight, const float *bias, float *output,
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

__global__ void
normalize(const float *input, const float *weight, const float *bias, float *output,
          int C, float eps)
{
    const float4 *x = (const float4 *)(input + (size_t)blockIdx.x * C);
    float4 *y = (float4 *)(output + (size_t)blockIdx.x * C);
    float sum = 0.0f, squares = 0.0f;

    for (int j = threadIdx.x; j < C / 4; j += THREADS) {
        float4 v = x[j];

        sum += v.x + v.y + (v.z + v.w);
    }
    float mean = block_sum(sum) / C;

    for (int j = threadIdx.x; j < C / 4; j += THREADS) {
        float4 v = x[j];

        v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
        squares += v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
    }
    float scale = 1.0f / sqrtf(block_sum(squares) / C + eps);

    for (int j = threadIdx.x; j < C / 4; j += THREADS) {
        float4 v = x[j], w = ((const float4 *)weight)[j], b = ((const float4 *)bias)[j];

        y[j] = make_float4(w.x * (v.x - mean) * scale + b.x, w.y * (v.y - mean) * scale + b.y,
                           w.z * (v.z - mean) * scale + b.z, w.w * (v.w - mean) * scale + b.w);
    }
}

extern "C" void
solve(const float *input, const float *weight, const float *bias, float *output, int N,
      int C, float eps)
{
    if (C % 4 == 0)
        normalize<<<N, THREADS>>>(input, weight, bias, output, C, eps);
    else
        normalize_any<<<N, THREADS>>>(input, weight, bias, output, C, eps);
}

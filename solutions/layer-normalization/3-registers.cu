// warpjudge: layer-normalization
// expect: accepted
// idea: The row is read three times, and each load is waited for. Keep the row in registers between
//   the passes, and ask for all of it before the first number is used.
// The row stays in registers: it is read once, 16 bytes a load, where the step before reads it three
// times. All
// loads of a thread are on their way before the first is waited for.
// H200: 528 µs, 1.24 times as fast as step 2
#include <cuda_runtime.h>

#define THREADS 256
#define OWN 4 // times four columns of a thread: C is at most 4096

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

__global__ void __launch_bounds__(THREADS)
normalize(const float *input, const float *weight, const float *bias, float *output,
          int C, float eps)
{
    const float4 *x = (const float4 *)(input + (size_t)blockIdx.x * C);
    float4 *y = (float4 *)(output + (size_t)blockIdx.x * C);
    float4 own[OWN];
    float sum = 0.0f, squares = 0.0f;

#pragma unroll
    for (int o = 0; o < OWN; o++) {
        int j = threadIdx.x + o * THREADS;

        own[o] = j < C / 4 ? x[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        sum += own[o].x + own[o].y + (own[o].z + own[o].w);
    }
    float mean = block_sum(sum) / C;

#pragma unroll
    for (int o = 0; o < OWN; o++) {
        float4 v = own[o];

        v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
        if (threadIdx.x + o * THREADS < C / 4)
            squares += v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
        own[o] = v;
    }
    float scale = 1.0f / sqrtf(block_sum(squares) / C + eps);

#pragma unroll
    for (int o = 0; o < OWN; o++) {
        int j = threadIdx.x + o * THREADS;
        float4 v = own[o], w, b;

        if (j < C / 4) {
            w = ((const float4 *)weight)[j];
            b = ((const float4 *)bias)[j];
            y[j] = make_float4(w.x * v.x * scale + b.x, w.y * v.y * scale + b.y,
                               w.z * v.z * scale + b.z, w.w * v.w * scale + b.w);
        }
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

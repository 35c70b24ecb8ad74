// warpjudge: fused-residual-add-and-rms-norm
// expect: accepted
// idea: A sum through shared memory costs a barrier for every halving. Let the lanes of each warp
//   add up by shuffles, so that one barrier is left for the sums of the warps.
// The block's sum by shuffles: five within each warp, one number a warp through shared memory,
// and one barrier instead of ten. Every thread adds up the few numbers of the warps by itself.
// H200: 2.57 ms, 1.01 times as fast as step 1
#include <cuda_runtime.h>

#define THREADS 256
#define WARPS (THREADS / 32)

// The sum over the block, in every thread. Called once: nobody waits for those who still read.
__device__ static float
block_sum(float value)
{
    __shared__ float of_warp[WARPS];

    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0.0f;
    for (int w = 0; w < WARPS; w++)
        value += of_warp[w];
    return value;
}

__global__ void
add_and_normalize(const float *x, const float *residual, const float *weight, float *out, int C,
                  float eps)
{
    size_t row = (size_t)blockIdx.x * C;
    float squares = 0.0f;

    for (int j = threadIdx.x; j < C; j += THREADS) {
        float z = x[row + j] + residual[row + j];

        squares += z * z;
    }
    float factor = rsqrtf(block_sum(squares) / C + eps);

    for (int j = threadIdx.x; j < C; j += THREADS)
        out[row + j] = (x[row + j] + residual[row + j]) * factor * weight[j];
}

extern "C" void
solve(const float *x, const float *residual, const float *weight, float *out, int N, int C,
      float eps)
{
    add_and_normalize<<<N, THREADS>>>(x, residual, weight, out, C, eps);
}

// warpjudge: fused-residual-add-and-rms-norm
// expect: accepted
// idea: The sum of the two inputs is needed twice, for the squares and for the result. Give each
//   row a block that makes both passes in one kernel, so that the sums need no memory.
// One block for each row: the sum of the squares, then the quotients, in one kernel that adds the
// residual on its way. The sums are never in memory, but both inputs are read twice.
// H200: 2.58 ms
#include <cuda_runtime.h>

#define THREADS 256

// The sum over the block, in every thread.
__device__ static float
block_sum(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    tree[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    value = tree[0];
    __syncthreads();
    return value;
}

__global__ void
add_and_normalize(const float *x, const float *residual, const float *weight, float *out,
                  int C, float eps)
{
    size_t row = (size_t)blockIdx.x * C;
    float squares = 0.0f;

    for (int j = threadIdx.x; j < C; j += THREADS) {
        float z = x[row + j] + residual[row + j];

        squares += z * z;
    }
    float rms = sqrtf(block_sum(squares) / C + eps);

    for (int j = threadIdx.x; j < C; j += THREADS)
        out[row + j] = (x[row + j] + residual[row + j]) / rms * weight[j];
}

extern "C" void
solve(const float *x, const float *residual, const float *weight, float *out, int N,
      int C, float eps)
{
    add_and_normalize<<<N, THREADS>>>(x, residual, weight, out, C, eps);
}

// warpjudge: ppo-clipped-surrogate-loss
// expect: accepted
// Blocks that stride over the tokens add up their terms in shared memory; one block adds up the
// blocks.
#include <cuda_runtime.h>

#define THREADS 256
#define BLOCKS 256

__device__ float
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
    return tree[0];
}

__global__ void
terms(const float *advantages, const float *log_pi, const float *log_pi_old, float *partial,
      float clip_eps, int count)
{
    float sum = 0.0f;

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += BLOCKS * THREADS) {
        float ratio = expf(log_pi[i] - log_pi_old[i]), a = advantages[i];
        float clipped = fminf(fmaxf(ratio, 1.0f - clip_eps), 1.0f + clip_eps);

        sum += fminf(ratio * a, clipped * a);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum;
}

__global__ void
finish(const float *partial, float *output, float count)
{
    float sum = block_sum(partial[threadIdx.x]); // as many threads as there were blocks

    if (threadIdx.x == 0)
        output[0] = -sum / count;
}

extern "C" void
solve(const float *advantages, const float *log_pi, const float *log_pi_old, float *output,
      float clip_eps, int B, int S)
{
    float *partial;

    cudaMalloc(&partial, BLOCKS * sizeof(float));
    terms<<<BLOCKS, THREADS>>>(advantages, log_pi, log_pi_old, partial, clip_eps, B * S);
    finish<<<1, BLOCKS>>>(partial, output, (float)(B * S));
    cudaFree(partial);
}

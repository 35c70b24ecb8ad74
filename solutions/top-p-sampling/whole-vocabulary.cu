// warpjudge: top-p-sampling
// expect: wrong_answer
// Draws from all tokens: nothing is cut off.
#include <cuda_runtime.h>

#define THREADS 1024

__device__ double
block_sum(double value)
{
    __shared__ double part[THREADS];
    int t = threadIdx.x;

    part[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    value = part[0];
    __syncthreads();
    return value;
}

__device__ float
block_max(float value)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;

    part[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] = fmaxf(part[t], part[t + half]);
        __syncthreads();
    }
    return part[0];
}

__device__ double
mass_above(const float *weight, float cut, int vocab_size)
{
    double mass = 0.0;

    for (int i = threadIdx.x; i < vocab_size; i += THREADS)
        if (weight[i] > cut)
            mass += weight[i];
    return block_sum(mass);
}

// A number in [0, 1) from a seed: its bits are mixed by multiplications and shifts.
__device__ double
uniform(unsigned seed)
{
    for (int round = 0; round < 3; round++) {
        seed ^= seed >> 16;
        seed = (seed + 0x9E3779B9u) * 0x85EBCA6Bu;
        seed ^= seed >> 13;
    }
    return seed / 4294967296.0;
}

// Weights that are equal to the cut belong to the nucleus, in order, until it is full.
__device__ int
draw(const float *weight, float cut, double above, double full, int seed, int vocab_size)
{
    double nucleus = 0.0, left = 0.0;
    int last = 0;

    for (int pass = 0; pass < 2; pass++) {
        double filled = above;

        for (int i = 0; i < vocab_size; i++) {
            bool ties = weight[i] == cut && filled < full;

            if (ties)
                filled += cut;
            if (ties || weight[i] > cut) {
                nucleus += weight[i];
                last = i;
                left -= weight[i];
                if (pass == 1 && left < 0.0)
                    return i;
            }
        }
        left = uniform(seed) * nucleus;
    }
    return last;
}

__global__ void
sample(const float *logits, float *weight, const float *p, const int *seed, int *sampled_token, int vocab_size)
{
    float top = -INFINITY;
    double all = 0.0;

    for (int i = threadIdx.x; i < vocab_size; i += THREADS)
        top = fmaxf(top, logits[i]);
    top = block_max(top);
    for (int i = threadIdx.x; i < vocab_size; i += THREADS) {
        weight[i] = expf(logits[i] - top);
        all += weight[i];
    }
    double full = block_sum(all);

    // Floats that are not negative are ordered as their bits. Above `low` there is enough, above
    // `high` there is not.
    int low = -1, high = __float_as_int(1.0f);

    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (mass_above(weight, __int_as_float(middle), vocab_size) < full)
            high = middle;
        else
            low = middle;
    }
    float cut = __int_as_float(high);
    double above = mass_above(weight, cut, vocab_size);

    if (threadIdx.x == 0)
        *sampled_token = draw(weight, cut, above, full, *seed, vocab_size);
}

extern "C" void
solve(const float *logits, const float *p, const int *seed, int *sampled_token, int vocab_size)
{
    float *weight;

    cudaMalloc(&weight, vocab_size * sizeof(float));
    sample<<<1, THREADS>>>(logits, weight, p, seed, sampled_token, vocab_size);
    cudaFree(weight);
}

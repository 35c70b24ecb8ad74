// warpjudge: ppo-clipped-surrogate-loss
// Sums in double by atomicAdd into a static __device__ variable; the last block writes and clears.
static __device__ double loss;
static __device__ unsigned arrived;

__global__ void surrogate(const float *advantages, const float *log_pi, const float *log_pi_old, float *output,
                          float clip_eps, long count)
{
    double sum = 0;

    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < count; i += gridDim.x * (long)blockDim.x) {
        const float ratio = expf(log_pi[i] - log_pi_old[i]);
        const float clipped = fminf(fmaxf(ratio, 1 - clip_eps), 1 + clip_eps);
        sum += fminf(ratio * advantages[i], clipped * advantages[i]);
    }
    for (int offset = 16; offset; offset /= 2)
        sum += __shfl_down_sync(~0u, sum, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&loss, sum);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(&arrived, 1) == gridDim.x - 1) {
        *output = (float)(-*(volatile double *)&loss / count);
        loss = 0;
        arrived = 0;
    }
}

extern "C" void
solve(const float *advantages, const float *log_pi, const float *log_pi_old, float *output, float clip_eps, int B, int S)
{
    surrogate<<<128, 128>>>(advantages, log_pi, log_pi_old, output, clip_eps, (long)B * S);
}

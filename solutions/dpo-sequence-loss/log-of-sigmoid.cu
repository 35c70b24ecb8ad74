// warpjudge: dpo-sequence-loss
// expect: wrong_answer
// The logarithm of the sigmoid as it stands in the paper: far on the wrong side the sigmoid is 0 and
// the loss infinite.
#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
mean_loss(const float *chosen, const float *rejected, const float *chosen_ref,
          const float *rejected_ref, float *output, float beta, int B)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;
    float sum = 0.0f;

    for (int i = t; i < B; i += THREADS) {
        float z = beta * ((chosen[i] - rejected[i]) - (chosen_ref[i] - rejected_ref[i]));

        sum -= logf(1.0f / (1.0f + expf(-z)));
    }
    tree[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        output[0] = tree[0] / B;
}

extern "C" void
solve(const float *chosen_logps, const float *rejected_logps, const float *chosen_ref_logps,
      const float *rejected_ref_logps, float *output, float beta, int B)
{
    mean_loss<<<1, THREADS>>>(chosen_logps, rejected_logps, chosen_ref_logps, rejected_ref_logps,
                              output, beta, B);
}

// warpjudge: batch-norm-training
// expect: accepted
// One thread for each channel: one float collects all its values, another all the squares.
#include <cuda_runtime.h>

__global__ void
statistics(const float *x, float *running_mean, float *running_var, float *save_mean, float *save_invstd,
           int N, int C, int plane, float eps, float momentum)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    float count = (float)N * plane, sum = 0.0f, squares = 0.0f;

    if (c >= C)
        return;
    for (int n = 0; n < N; n++)
        for (int i = 0; i < plane; i++)
            sum += x[((size_t)n * C + c) * plane + i];
    float mean = sum / count;

    for (int n = 0; n < N; n++)
        for (int i = 0; i < plane; i++) {
            float d = x[((size_t)n * C + c) * plane + i] - mean;

            squares += d * d;
        }
    save_mean[c] = mean;
    save_invstd[c] = 1.0f / sqrtf(squares / count + eps);
    running_mean[c] = (1.0f - momentum) * running_mean[c] + momentum * mean;
    running_var[c] = (1.0f - momentum) * running_var[c] + momentum * squares / (count - 1.0f);
}

__global__ void
normalize(const float *x, const float *gamma, const float *beta, float *y, const float *save_mean,
          const float *save_invstd, int N, int C, int plane)
{
    int c = blockIdx.x;

    for (int n = 0; n < N; n++)
        for (int i = threadIdx.x; i < plane; i += blockDim.x) {
            size_t at = ((size_t)n * C + c) * plane + i;

            y[at] = gamma[c] * (x[at] - save_mean[c]) * save_invstd[c] + beta[c];
        }
}

extern "C" void
solve(const float *x, const float *gamma, const float *beta, float *running_mean, float *running_var, float *y,
      float *save_mean, float *save_invstd, int N, int C, int H, int W, float eps, float momentum)
{
    statistics<<<(C + 31) / 32, 32>>>(x, running_mean, running_var, save_mean, save_invstd, N, C, H * W, eps,
                                      momentum);
    normalize<<<C, 256>>>(x, gamma, beta, y, save_mean, save_invstd, N, C, H * W);
}

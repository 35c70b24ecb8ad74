// warpjudge: adam-step
// expect: accepted
// One thread for each parameter; the corrections are computed once on the host, in double.
#include <cmath>
#include <cuda_runtime.h>

__global__ void
adam(float *param, const float *grad, float *m, float *v, int N, float lr, float beta1,
     float beta2, float eps, float keep, float unbias_m, float unbias_v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= N)
        return;
    float g = grad[i];
    float mean = beta1 * m[i] + (1.0f - beta1) * g;
    float square = beta2 * v[i] + (1.0f - beta2) * g * g;

    m[i] = mean;
    v[i] = square;
    param[i] = param[i] * keep - lr * (mean * unbias_m) / (sqrtf(square * unbias_v) + eps);
}

extern "C" void
solve(float *param, const float *grad, float *m, float *v, int N, float lr, float beta1,
      float beta2, float eps, float weight_decay, int step)
{
    float unbias_m = (float)(1.0 / (1.0 - pow((double)beta1, step)));
    float unbias_v = (float)(1.0 / (1.0 - pow((double)beta2, step)));

    adam<<<(N + 255) / 256, 256>>>(param, grad, m, v, N, lr, beta1, beta2, eps,
                                   1.0f - lr * weight_decay, unbias_m, unbias_v);
}

/* One step of Adam in double, a thread for each parameter; what is stored is rounded once. */
__global__ static void
adam(float *param, const float *grad, float *m, float *v, int N, double lr, double b1, double b2,
     double eps, double keep, double correct_m, double correct_v)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i >= N)
        return;
    double g = grad[i];
    double mean = b1 * m[i] + (1 - b1) * g, square = b2 * v[i] + (1 - b2) * g * g;

    param[i] =
        (float)(param[i] * keep - lr * (mean / correct_m) / (sqrt(square / correct_v) + eps));
    m[i] = (float)mean;
    v[i] = (float)square;
}

extern "C" void
solve(float *param, const float *grad, float *m, float *v, int N, float lr, float beta1,
      float beta2, float eps, float weight_decay, int step)
{
    adam<<<(N + 255) / 256, 256>>>(param, grad, m, v, N, lr, beta1, beta2, eps,
                                   1 - (double)lr * weight_decay, 1 - pow(beta1, (double)step),
                                   1 - pow(beta2, (double)step));
}

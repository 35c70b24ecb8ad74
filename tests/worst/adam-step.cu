// warpjudge: adam-step
// One thread does everything, in double.
__global__ void
serial(float *param, const float *grad, float *m, float *v, int N, float lr, float beta1,
       float beta2, float eps, float weight_decay, int step)
{
    double b1 = beta1, b2 = beta2;
    double correct_m = 1 - pow(b1, step), correct_v = 1 - pow(b2, step);
    double keep = 1 - (double)lr * weight_decay;

    for (int i = 0; i < N; i++) {
        double g = grad[i];
        double mean = b1 * m[i] + (1 - b1) * g, square = b2 * v[i] + (1 - b2) * g * g;

        param[i] = (float)(param[i] * keep -
                           lr * (mean / correct_m) / (sqrt(square / correct_v) + eps));
        m[i] = (float)mean;
        v[i] = (float)square;
    }
}

extern "C" void
solve(float *param, const float *grad, float *m, float *v, int N, float lr, float beta1,
      float beta2, float eps, float weight_decay, int step)
{
    serial<<<1, 1>>>(param, grad, m, v, N, lr, beta1, beta2, eps, weight_decay, step);
}

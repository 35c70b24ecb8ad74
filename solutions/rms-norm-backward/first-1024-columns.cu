// warpjudge: rms-norm-backward
// expect: wrong_answer
// A block of 1024 threads for the gradient of the weights, without a stride.
__global__ void rows(const float *x, const float *weight, const float *dy, float *dx, int N, int C, float eps)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    float square = 0, q = 0;

    if (n >= N)
        return;
    for (int c = 0; c < C; c++) {
        square += x[n * C + c] * x[n * C + c];
        q += dy[n * C + c] * weight[c] * x[n * C + c];
    }
    float r = rsqrtf(square / C + eps);

    for (int c = 0; c < C; c++)
        dx[n * C + c] = r * dy[n * C + c] * weight[c] - r * r * r * q / C * x[n * C + c];
}

__global__ void columns(const float *x, const float *dy, float *dweight, int N, int C, float eps)
{
    int c = threadIdx.x;
    double sum = 0;

    if (c >= C)
        return;
    for (int n = 0; n < N; n++) {
        float square = 0;

        for (int k = 0; k < C; k++)
            square += x[n * C + k] * x[n * C + k];
        sum += dy[n * C + c] * x[n * C + c] * rsqrtf(square / C + eps);
    }
    dweight[c] = (float)sum;
}

extern "C" void
solve(const float *x, const float *weight, const float *dy, float *dx, float *dweight, int N, int C, float eps)
{
    rows<<<(N + 63) / 64, 64>>>(x, weight, dy, dx, N, C, eps);
    columns<<<1, 1024>>>(x, dy, dweight, N, C, eps);
}

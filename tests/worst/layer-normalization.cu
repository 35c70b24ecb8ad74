// warpjudge: layer-normalization
// A thread for each row.
__global__ void
each(const float *input, const float *weight, const float *bias, float *output, int N, int C, float eps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    double mean = 0, variance = 0;

    if (i >= N)
        return;
    for (int c = 0; c < C; c++)
        mean += input[i * C + c];
    mean /= C;
    for (int c = 0; c < C; c++)
        variance += (input[i * C + c] - mean) * (input[i * C + c] - mean);
    variance /= C;
    for (int c = 0; c < C; c++)
        output[i * C + c] = (float)((input[i * C + c] - mean) / sqrt(variance + eps)) * weight[c] + bias[c];
}

extern "C" void
solve(const float *input, const float *weight, const float *bias, float *output, int N, int C, float eps)
{
    each<<<(N + 255) / 256, 256>>>(input, weight, bias, output, N, C, eps);
}

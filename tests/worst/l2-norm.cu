// warpjudge: l2-norm
// A thread for each row.
__global__ void
each(const float *input, float *output, float *norm, int M, int N, float eps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float sum = 0;

    if (i >= M)
        return;
    for (int j = 0; j < N; j++)
        sum += input[i * N + j] * input[i * N + j];
    norm[i] = sqrtf(sum);
    for (int j = 0; j < N; j++)
        output[i * N + j] = input[i * N + j] / fmaxf(norm[i], eps);
}

extern "C" void
solve(const float *input, float *output, float *norm, int M, int N, float eps)
{
    each<<<(M + 255) / 256, 256>>>(input, output, norm, M, N, eps);
}
